"""What all policies share: how many experts there are, the rounds played, the trace, the models behind."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state

from assay.certificates.guarantee import Guarantee
from assay.compiled.exponential_weights import accumulate
from assay.errors import BadData, require
from assay.record.experts import ExpertRecord
from assay.theory.rounding import Enclosure

if TYPE_CHECKING:
    from assay.learners.experts.models import ModelExperts

# Places of the sums that are kept; each takes two, the second for its rounding errors. A policy may keep
# more, behind these.
LOSS, SECOND, DRAWN, MORE = 0, 2, 4, 6


@lru_cache(maxsize=256, typed=True)
def _read(reader: Callable[[str, Any], Enclosure], name: str, value: Any) -> float:
    return float(reader(name, value).low)


def number(reader: Callable[[str, Any], Enclosure], name: str, value: Any) -> float:
    """A parameter as a float, checked by a function of `needs`; the same one is not read twice."""
    try:
        return _read(reader, name, value)
    except TypeError:  # not hashable, so no number either
        return float(reader(name, value).low)


class ExpertPolicy(BaseEstimator):  # type: ignore[misc]
    """Base of the policies: state appears with the first call, and `play` goes on from there.

    A subclass says in `_fresh` what its state is. Its arrays and numbers are what a model file holds.
    """

    trace: bool
    random_state: Any = None

    # State

    def _fresh(self, experts: int) -> dict[str, Any]:
        """The state before the first round."""
        raise NotImplementedError

    def _begin(self, experts: int) -> dict[str, Any]:
        """All of the state, that which every policy has included."""
        common = {"rounds_": 0, "sums_": np.zeros(MORE), "seed_": 0, "log_": []}
        return common | self._fresh(experts)

    def _meet(self, experts: int, names: Sequence[str] | None) -> None:
        """Begin with so many experts, or see that they are as many as before."""
        if not hasattr(self, "rounds_"):
            if experts < 1:
                raise BadData("There must be at least one expert.")
            for name, value in self._begin(experts).items():
                setattr(self, name, value)
            # The seed is drawn once, so that the same state makes the same draws.
            draw = check_random_state(self.random_state)
            self.seed_ = int(draw.randint(0, 2**63 - 1, dtype=np.int64))
            if names is not None:
                self.expert_names_ = np.array(names, dtype=object)
        elif experts != self.n_experts:
            raise BadData(f"There must be {self.n_experts} experts as before, but are {experts}.")
        elif names is not None and self._names() not in (None, tuple(names)):
            raise BadData(
                f"The experts must be those of before, in their order, but are {', '.join(names)}."
            )

    @contextmanager
    def _meeting(self, experts: int, names: Sequence[str] | None) -> Iterator[None]:
        """Meet the experts, unless what follows is refused before a first round was played."""
        self._meet(experts, names)
        try:
            yield
        except BadData:
            if not self.rounds_:
                for name in [*self._begin(experts), "expert_names_"]:
                    self.__dict__.pop(name, None)
            raise

    def _require_state(self) -> None:
        """Refuse a state that this policy could not have come to; for model files."""
        if not hasattr(self, "rounds_"):
            return
        fresh = self._begin(len(self.totals_))
        held = vars(self).keys() - self.get_params(deep=False).keys() - {"expert_names_"}
        if held != fresh.keys():
            raise ValueError("it has other attributes")
        for name, value in fresh.items():
            found = getattr(self, name)
            same = type(found) is type(value)
            if isinstance(value, np.ndarray):
                same = same and found.dtype == value.dtype and found.shape == value.shape
            if not same:
                raise ValueError(f"{name} is of another kind")
        names = self._names()
        if self.rounds_ < 0 or (names is not None and len(names) != self.n_experts):
            raise ValueError("its parts do not belong together")

    @property
    def n_experts(self) -> int:
        """How many experts there are."""
        self._require_begun()
        return len(self.totals_)

    def _require_begun(self) -> None:
        if not hasattr(self, "rounds_"):
            raise NotFittedError(f"This {type(self).__name__} has not played a round yet.")

    def _names(self) -> tuple[str, ...] | None:
        return tuple(self.expert_names_) if hasattr(self, "expert_names_") else None

    def _expert(self, place: int) -> str:
        names = self._names()
        return f"expert {place}" if names is None else f"expert {names[place]!r}"

    def _round(self, place: int) -> str:
        return f"round {self.rounds_ + place + 1}"

    def _add(self, place: int, values: NDArray[np.float64]) -> None:
        accumulate(values, self.sums_, place)

    def _sum(self, place: int) -> float:
        return float(self.sums_[place] + self.sums_[place + 1])

    # What happened

    def _marks(self) -> dict[str, float]:
        """What the proof follows, read off after a round."""
        raise NotImplementedError

    def _trace(self) -> dict[str, NDArray[np.float64]] | None:
        if not self.trace:
            return None
        columns = sorted(self.log_[0] if self.log_ else self._marks())
        return {name: np.array([marks[name] for marks in self.log_]) for name in columns}

    @property
    def record_(self) -> ExpertRecord:
        """What happened so far."""
        raise NotImplementedError

    def guarantees(self, against: Any = "best") -> list[Guarantee]:
        """The theorems about this run: promised beside observed, with every assumption.

        Parameters
        ----------
        against : "best", "each", int or str, default="best"
            Compare with the best expert, with each of them, or with one, by number or name.
        """
        self._require_begun()
        record = self.record_
        if not record.rounds:
            return []
        return [
            g for expert in self._rivals(record, against) for g in self._promises(record, expert)
        ]

    def _rivals(self, record: ExpertRecord, against: Any) -> list[int]:
        names = [record.name(i) for i in range(self.n_experts)]
        if against == "best":
            return [record.best]
        if against == "each":
            return list(range(self.n_experts))
        place = names.index(against) if against in names else against
        known = isinstance(place, int) and not isinstance(place, bool)
        must = "'best', 'each', or an expert by number or name"
        require(known and 0 <= place < self.n_experts, "against", must, against)
        return [int(place)]

    def _promises(self, record: ExpertRecord, expert: int) -> list[Guarantee]:
        """What the theorems say against one expert."""
        raise NotImplementedError

    @classmethod
    def from_models(cls, models: Any, **parameters: Any) -> ModelExperts:
        """Make a policy with models for its experts, played with examples in place of advice.

        Parameters
        ----------
        models : list or dict of models
            Fitted models of scikit-learn, River or assay, functions of an example, or names of columns; a
            dict gives them names.
        **parameters
            The parameters of the policy.
        """
        from assay.learners.experts.models import ModelExperts

        return ModelExperts(cls(**parameters), models)
