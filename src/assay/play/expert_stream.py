"""A stream of forecasts: chunk after chunk, a policy predicts, is told, and its regret is kept account of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import xlog1py, xlogy

from assay.data.examples import Examples
from assay.errors import BadData, BadParameter, Remedy, Where, require
from assay.guarantees.guarantee import Guarantee
from assay.learners.experts.models import Said
from assay.learners.registry import make_learner, name_of
from assay.play.remedies import DECLARE_RANGE, policy
from assay.play.row_stream import PolicyStream, bad_number
from assay.record.experts import ExpertRecord
from assay.types import Floats, Ints

#: The losses of forecasts.
LOSSES = ("square", "absolute", "entropic")
#: The policies that combine forecasts; only the last takes forecasts that may be missing.
POLICIES = ("weighted-average", "adahedge", "fixed-share", "sleeping-experts")

_OWN = ("loss", "low", "high")


@dataclass(frozen=True)
class Rival:
    """One expert at the end of a stream.

    Attributes
    ----------
    name : str
        What the expert is called.
    rows : int
        In how many rows it had a forecast.
    error : float
        Its error in them, as `ExpertStream.error_name` says.
    loss : float
        Its loss in them, summed, of numbers scaled into [0, 1] where there is a range.
    regret : float
        How much more the policy lost in them.
    guarantee : Guarantee or None
        The least bound on what the policy lost against it.
    """

    name: str
    rows: int
    error: float
    loss: float
    regret: float
    guarantee: Guarantee | None


class ExpertStream(PolicyStream):
    """A policy among experts whose forecasts arrive row by row.

    Everything learned stays learned: when a row cannot be, all rows before it have been. A row without any
    forecast is left out and counted, where forecasts may be missing.

    Parameters
    ----------
    policy : policy, str or None
        A policy that goes on from what it knows, the name of one, or None: then `weighted-average`, or
        `sleeping-experts` if a forecast is missing in the first chunk.
    loss : {"square", "absolute", "entropic"}, default="square"
        The loss of a forecast, for a policy that is made here.
    bounds : pair of numbers, optional
        Between which all forecasts and outcomes lie; 0 and 1 when not given.
    parameters : mapping, optional
        Other parameters of a policy that is made here.
    source : str
        What the stream is called in refusals.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = rng.random(1000)
    >>> X = np.clip(y[:, None] + rng.normal(size=(1000, 3)) * [0.1, 0.2, 0.4], 0, 1)
    >>> stream = ExpertStream()
    >>> for start in range(0, 1000, 100):
    ...     part = slice(start, start + 100)
    ...     stream.learn(Examples(X[part], y[part], ["a", "b", "c"], "truth", None, start + 1))
    >>> stream.why
    'for the square loss; no forecast is missing in the first 100 rows'
    >>> [best, *_] = stream.rivals()
    >>> best.name, best.guarantee.theorem
    ('a', 'wa-square-regret')
    """

    def __init__(
        self,
        policy: Any = None,
        *,
        loss: str = "square",
        bounds: tuple[float, float] | None = None,
        parameters: Mapping[str, Any] | None = None,
        source: str = "the stream",
    ) -> None:
        require(loss in LOSSES, "loss", f"one of {', '.join(LOSSES)}", loss)
        self._loss, self._bounds, self._parameters = loss, bounds, dict(parameters or {})
        self.source = source
        #: Rows without any forecast, which were left out.
        self.skipped = 0
        #: Why this policy was taken, if it was not asked for.
        self.why = ""
        self.policy: Any = policy
        self._mean_loss: float | None = 0.0
        if isinstance(policy, str):
            self.policy = self._made(policy)
        elif policy is not None:
            _require_forecasts(name_of(policy))
            if self._parameters or bounds is not None:
                raise BadParameter(
                    "Range and parameters are for a new policy; this one has its own."
                )
            self._loss = str(policy.loss)
            require(self._loss in LOSSES, "policy", "one of forecasts that are numbers", policy)
        self.rows_before = self._rounds()
        if self.rows_before:
            self._mean_loss = None

    def _made(self, name: str) -> Any:
        """A new policy for this loss and range."""
        _require_forecasts(name)
        for parameter in _OWN:
            if parameter in self._parameters:
                raise BadParameter(
                    f"{parameter!r} is no parameter to give here: declare the loss and the range."
                )
        given = {"loss": self._loss, **self._parameters}
        if name == "sleeping-experts" and self._loss == "entropic":
            raise BadParameter(
                "sleeping-experts needs losses of a known size, and the entropic loss has none. Take the "
                "square loss, or fill in the forecasts that are missing."
            )
        if name == "adahedge":
            if self._bounds is not None:
                raise BadParameter("adahedge needs no range: leave it out.")
        elif self._bounds is not None:
            given |= {"low": float(self._bounds[0]), "high": float(self._bounds[1])}
        return make_learner(name, given)

    # What is known about the policy

    @property
    def loss(self) -> str:
        """Which loss a forecast has."""
        return self._loss

    @property
    def range(self) -> tuple[float, float] | None:
        """Between which numbers forecasts must lie; None if that does not matter."""
        if self._loss == "entropic":
            return 0.0, 1.0
        low, high = getattr(self.policy, "low", None), getattr(self.policy, "high", None)
        return None if low is None or high is None or self.name == "adahedge" else (low, high)

    @property
    def range_known(self) -> str:
        """How the range is known."""
        if self.range is None:
            return "not needed"
        if self._loss == "entropic":
            return "because forecasts are probabilities"
        if self.rows_before:
            return "declared when the policy was made"
        return "declared" if self._bounds is not None else "because none was declared"

    @property
    def error_name(self) -> str:
        """What `error` is."""
        return {
            "square": "root mean square error",
            "absolute": "mean absolute error",
            "entropic": "mean entropic loss",
        }[self._loss]

    # Learning

    def learn(self, examples: Examples) -> None:
        """Predict and learn the rows of a chunk in their order; missing forecasts are NaN.

        Raises
        ------
        BadData
            If a row cannot be learned; those before it have been.
        """
        if examples.y is None:
            raise BadParameter("Name the column that the forecasts are about.")
        if not isinstance(examples.X, np.ndarray):
            raise BadData(f"{self.source} has no columns of forecasts: its rows are sparse.")
        X, y = np.asarray(examples.X, np.float64), np.asarray(examples.y, np.float64)
        if self.policy is None:
            self.policy = self._chosen(X)
        self._learn(replace(examples, X=X, y=y))

    def _chosen(self, X: Floats) -> Any:
        rows = f"the first {len(X):,} rows" if len(X) > 1 else "the first row"
        if np.isnan(X).any():
            self.why = f"because forecasts are missing in {rows}"
            return self._made("sleeping-experts")
        self.why = f"for the {self._loss} loss; no forecast is missing in {rows}"
        return self._made("weighted-average")

    def _until_bad(self, examples: Examples) -> tuple[int, BadData | None]:
        """How many rows come before one that cannot be learned, and the refusal of that one."""
        # The outcome first, which is named where a forecast is bad as well.
        cells = np.column_stack([np.asarray(examples.y), examples.X])
        low, high = self.range or (-np.finfo(float).max, np.finfo(float).max)
        bad = ~((low <= cells) & (high >= cells))
        if self.name == "sleeping-experts":
            bad[:, 1:] &= ~np.isnan(examples.X)
        rows = bad.any(axis=1)
        if not rows.any():
            return len(cells), None
        row = int(rows.argmax())
        column = int(bad[row].argmax())
        name = examples.features[column - 1] if column else examples.target
        why = "which is no finite number."
        remedy: Remedy | None = None
        if np.isnan(cells[row, column]):
            if column:
                remedy = (policy("sleeping-experts"), " takes forecasts that may be missing.")
        elif self._loss == "entropic":
            why, remedy = "outside the range 0 to 1.", "A probability is needed."
        elif self.range is not None:
            why = f"outside the range {low:g} to {high:g}."
            remedy = (*DECLARE_RANGE, ", or take ", policy("adahedge"), ", which needs none.")
        where = Where(row=examples.first_row + row, name=name)
        return row, bad_number(self.source, cells[row, column], where, why, remedy)

    def _play(self, examples: Examples) -> None:
        spoken = np.flatnonzero(~np.isnan(examples.X).all(axis=1))
        before = self._rounds()
        refusal = None
        X, y = examples.X[spoken], np.asarray(examples.y)[spoken]
        if len(spoken):
            try:
                self.policy.play(Said(X, tuple(map(str, examples.features))), y)
            except BadData as problem:
                refusal = problem
        played = self._rounds() - before
        if self._mean_loss is not None and played:
            self._mean_loss += self._loss_of(np.nanmean(X[:played], axis=1), y[:played])
        if refusal is None:
            self.skipped += len(examples) - len(spoken)
            return
        stop = int(spoken[played])
        self.skipped += stop - played
        raise refusal.but(where=Where(row=examples.first_row + stop, source=self.source))

    def _loss_of(self, guess: Floats, y: Floats) -> float:
        """The summed loss of the plain mean, in the numbers' own units."""
        if self._loss == "square":
            return float(np.sum((guess - y) ** 2))
        if self._loss == "absolute":
            return float(np.sum(np.abs(guess - y)))
        return float(-np.sum(xlogy(y, guess) + xlog1py(1 - y, -guess)))

    # What is known so far

    def _rounds(self) -> int:
        return int(self.policy.record_.rounds) if hasattr(self.policy, "rounds_") else 0

    @property
    def rows(self) -> int:
        """Rows predicted and then learned, in this stream."""
        return self._rounds() - self.rows_before

    @property
    def record(self) -> ExpertRecord:
        """The policy's run, what it knew before included."""
        record: ExpertRecord = self.policy.record_
        return record

    @property
    def error(self) -> float:
        """The error of the policy's predictions, in the numbers' own units."""
        return self._error(self.record.loss, self.record.rounds)

    @property
    def mean_error(self) -> float | None:
        """The error of the plain mean of all forecasts; None if rows were learned earlier."""
        if self._mean_loss is None or not self.rows:
            return None
        mean = self._mean_loss / self.rows
        return float(np.sqrt(mean)) if self._loss == "square" else mean

    def _error(self, loss: float, rounds: int) -> float:
        low, high = self.range or (0.0, 1.0)
        width = high - low
        if self._loss == "square":
            return width * float(np.sqrt(loss / rounds))
        return width * loss / rounds

    @property
    def _awake(self) -> Ints:
        record = self.record
        if record.awake is not None:
            return record.awake
        return np.full(len(record.expert_losses), record.rounds)

    @property
    def best(self) -> Rival:
        """The expert with the least error."""
        [first] = self.rivals(1)
        return first

    def rivals(self, most: int | None = None) -> list[Rival]:
        """The experts, best first; those that never had a forecast are left out.

        Parameters
        ----------
        most : int, optional
            Only so many.
        """
        record, awake = self.record, self._awake
        heard = np.flatnonzero(awake)
        mean = record.expert_losses[heard] / awake[heard]
        order = heard[np.argsort(mean, kind="stable")][:most]
        return [self._rival(int(i), record, int(awake[i])) for i in order]

    def _rival(self, expert: int, record: ExpertRecord, rows: int) -> Rival:
        loss, regret = float(record.expert_losses[expert]), float(record.regrets[expert])
        error = self._error(loss, rows)
        about = [g for g in self.policy.guarantees(against=expert) if self._names(g, expert)]
        least = min(about, key=lambda g: np.inf if g.value is None else g.value, default=None)
        return Rival(record.name(expert), rows, error, loss, regret, least)

    def guarantees(self) -> list[Guarantee]:
        """What is promised beyond the single experts, such as against the best sequence of them."""
        best = self.record.best
        beyond = [g for g in self.policy.guarantees() if not self._names(g, best)]
        return [g for g in beyond if g.kind != "potential"]

    def _names(self, guarantee: Guarantee, expert: int) -> bool:
        """Whether a bound is about this expert; receipts of the proof are not."""
        named = f"expert {self.record.name(expert)!r}" in guarantee.of
        return named and guarantee.kind != "potential" and guarantee.quantifier == "always"


def _require_forecasts(name: str) -> None:
    must = f"one of {', '.join(POLICIES)}, which combine forecasts"
    require(name in POLICIES, "policy", must, name)
