"""Whether a bound that may fail with probability delta failed too often to be believed.

The false-alarm rate is stated: a sound bound is rejected with probability at most `alarm`.
"""

from __future__ import annotations

from scipy.stats import binom


def _tail(violations: int, trials: int, delta: float) -> float:
    """How likely a bound that fails with probability delta fails at least that often."""
    return float(binom.sf(violations - 1, trials, delta))


def assert_sound(violations: int, trials: int, delta: float, alarm: float = 1e-6) -> None:
    tail = _tail(violations, trials, delta)
    assert tail > alarm, (
        f"the bound broke {violations} times in {trials} (claimed at most {delta:.0%}); "
        f"a sound bound would do so with probability {tail:.1e}"
    )


def assert_unsound(violations: int, trials: int, delta: float, alarm: float = 1e-6) -> None:
    """The same check must reject a deliberately broken bound, or it could not reject anything."""
    tail = _tail(violations, trials, delta)
    assert tail <= alarm, (
        f"the broken bound broke only {violations} times in {trials}, which a sound one would do "
        f"with probability {tail:.1e}: the test cannot tell them apart"
    )
