"""Whether promises succeed as often as a plan says; a right plan is rejected with probability one in a million."""

from __future__ import annotations

from scipy.stats import binom


def how_unlikely(successes: int, trials: int, power: float) -> float:
    """How likely a plan of this power succeeds so often or more, or so seldom or less, whichever is less likely."""
    power = min(max(power, 1e-12), 1 - 1e-12)
    above = binom.sf(successes - 1, trials, power)
    return float(2 * min(above, binom.cdf(successes, trials, power)))


def assert_power(successes: int, trials: int, power: float, alarm: float = 1e-6) -> None:
    tail = how_unlikely(successes, trials, power)
    assert tail > alarm, (
        f"{successes} of {trials} purchases sufficed, where the plan says {power:.1%}; a right plan would do so with "
        f"probability {tail:.1e}"
    )


def assert_no_power(successes: int, trials: int, power: float, alarm: float = 1e-6) -> None:
    """The same check must reject a plan that is wrong."""
    tail = how_unlikely(successes, trials, power)
    assert tail <= alarm, (
        f"{successes} of {trials} purchases sufficed, as a plan of {power:.1%} may"
    )
