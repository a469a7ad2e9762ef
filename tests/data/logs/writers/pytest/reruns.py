"""pytest -n2 -o junit_logging=no --junitxml=junit_reruns.xml reruns.py, with pytest-rerunfailures."""

import pytest

TRIES = []


@pytest.mark.parametrize("number", range(6))
def test_sum(number):
    assert number != 3


@pytest.mark.flaky(reruns=2)
def test_run_again():
    TRIES.append(1)
    assert len(TRIES) == 3


@pytest.fixture
def broken_when_torn_down():
    yield
    raise RuntimeError


def test_fails_and_breaks(broken_when_torn_down):
    raise AssertionError


@pytest.mark.xfail
def test_expected_to_fail():
    raise AssertionError
