"""The demo of the service, on the first rows."""

from __future__ import annotations

import pytest

from examples import demo_service


@pytest.mark.guarantees
def test_the_service_ends_as_a_stream_does(capsys):
    assert demo_service.main(rows=1200)
    assert capsys.readouterr().out.endswith("The same, bit for bit.\n")


@pytest.mark.guarantees
def test_another_order_is_found_out(monkeypatch, capsys):
    tell = demo_service._tell
    monkeypatch.setattr(demo_service, "_tell", lambda prices, told: tell(prices, told[::-1]))
    assert not demo_service.main(rows=1200)
    assert capsys.readouterr().out.endswith("They are NOT the same.\n")
