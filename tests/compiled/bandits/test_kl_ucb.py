import pytest

from assay.compiled.bandits.kl_ucb import entropy_to, lower_end
from tests.naive.bandits import kl, kl_index


@pytest.mark.parametrize("mean", [0.0, 1e-9, 0.01, 0.3, 0.5, 0.9, 1 - 1e-9, 1.0])
@pytest.mark.parametrize("level", [0.0, 1e-12, 1e-3, 0.1, 1.0, 9.0, 200.0])
def test_lower_ends(mean, level):
    q = lower_end(mean, level)
    twin = kl_index(lambda t: level)(mean, 1, 2)
    assert q == pytest.approx(twin, rel=1e-4 if level < 1e-6 else 1e-8, abs=1e-12)
    if 0 < q < mean:
        assert entropy_to(mean, q) == pytest.approx(kl(mean, q), rel=1e-12)
        assert kl(mean, q) >= level - 1e-10 * (1 + level)
