from __future__ import annotations

import pytest

from assay.distributed import cut


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Blocks of few rows, so that a small sample has many of them."""
    monkeypatch.setattr(cut, "_FEWEST", 8)
    monkeypatch.setattr(cut, "_MOST", 64)


@pytest.fixture(scope="session", params=[1, 2, 4])
def client(request):
    """Workers that are threads of this process."""
    yield from _client(request.param, processes=False)


@pytest.fixture(scope="session")
def two_workers():
    yield from _client(2, processes=False)


def _client(workers, processes):
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            processes=processes,
            dashboard_address=":0",
            silence_logs=40,
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client
