from assay.tables import memory


def test_a_block_is_seen(monkeypatch):
    with memory.memory_used() as used:
        block = bytearray(2**26)
    assert used.bytes is None or used.bytes > 2**25
    assert len(block) == 2**26


def test_where_the_system_does_not_tell(monkeypatch, tmp_path):
    monkeypatch.setattr(memory, "_STATM", tmp_path / "nowhere")
    with memory.memory_used() as used:
        pass
    assert used.bytes is None
