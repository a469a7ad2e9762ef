"""What all policies share: how many experts there are, the rounds played, the trace, the models behind."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state

from assay.compiled.experts.exponential_weights import accumulate, least_of
from assay.errors import BadData, BadParameter, Where, require
from assay.guarantees.experts import expert_named, rivals
from assay.guarantees.guarantee import Guarantee
from assay.learners.common import kinds
from assay.learners.common.guaranteed import Guaranteed, Terms
from assay.learners.common.policy import Policy
from assay.learners.experts.advice import single, table
from assay.record.experts import ExpertRecord
from assay.theory.rounding import Enclosure
from assay.types import Array, Floats

if TYPE_CHECKING:
    from assay.learners.experts.models import ModelExperts

# Places of the sums that are kept; each takes two, the second for its rounding errors. A policy may keep
# more, behind these.
LOSS, SECOND, DRAWN, MORE = 0, 2, 4, 6
# Parameters that may change between two rounds.
_FREE = ("random_state",)
# Before the number of an expert, in the log of a trace.
_EXPERT = "expert_losses "


@lru_cache(maxsize=256, typed=True)
def _read(reader: Callable[[str, Any], Enclosure], name: str, value: Any) -> float:
    return float(reader(name, value).low)


def number(reader: Callable[[str, Any], Enclosure], name: str, value: Any) -> float:
    """A parameter as a float, checked by a function of `needs`; the same one is not read twice."""
    try:
        return _read(reader, name, value)
    except TypeError:  # not hashable, so no number either
        return float(reader(name, value).low)


class ExpertPolicy(Guaranteed, Policy):
    """Base of the policies: state appears with the first call, and `play` goes on from there.

    A subclass says in `_fresh` what its state is. Its arrays and numbers are what a model file holds.
    """

    state = kinds.declare(
        rounds_=kinds.count,
        sums_=kinds.numbers(),
        seed_=kinds.whole(most=2**63 - 1),
        log_=kinds.log,
        played_=kinds.parameters,
        totals_=kinds.array("<f8"),
        expert_names_=kinds.maybe(kinds.names("totals_")),
    )

    trace: bool
    random_state: Any = None
    rounds_: int
    seed_: int

    #: The record of such a run, and what the theorems say from it against one expert.
    _record: ClassVar[type[ExpertRecord]]
    _guarantees: ClassVar[Callable[..., list[Guarantee]]]

    # State

    def _fresh(self, experts: int) -> dict[str, Any]:
        """The state before the first round."""
        raise NotImplementedError

    def _begin(self, experts: int) -> dict[str, Any]:
        """All of the state, that which every policy has included."""
        common = {
            "rounds_": 0,
            "sums_": np.zeros(MORE),
            "seed_": 0,
            "log_": [],
            "played_": self._parameters(),
            "totals_": np.zeros(experts),
        }
        return common | self._fresh(experts)

    def _parameters(self) -> dict[str, Any]:
        """The parameters that a game is played with."""
        given = self.get_params(deep=False)
        return {name: _fixed(value) for name, value in given.items() if name not in _FREE}

    def _draws(self) -> bool:
        """Whether rounds are learned by drawing an expert."""
        return False

    def _seed(self) -> int:
        """A seed; never zero, which stands for none."""
        draw = check_random_state(self.random_state)
        return int(draw.randint(0, 2**63 - 1, dtype=np.int64)) or 1

    def _meet(self, experts: int, names: Sequence[str] | None) -> None:
        """Begin with so many experts, or see that they are as many as before."""
        if names is not None and len(set(names)) < len(names):
            twice = next(name for name in names if list(names).count(name) > 1)
            raise BadData(f"Experts must have different names, but two are called {twice!r}.")
        if getattr(self, "rounds_", 0) == 0 and not self._is_begun(experts):
            if experts < 1:
                raise BadData("There must be at least one expert.")
            state = self._begin(experts)
            # The seed is drawn once, so that the same state makes the same draws.
            state["seed_"] = self._seed() if self._draws() else 0
            self.__dict__.pop("expert_names_", None)
            for name, value in state.items():
                setattr(self, name, value)
            if names is not None:
                self.expert_names_ = np.array(names, dtype=object)
            return
        self._require_same()
        if experts != self.n_experts:
            raise BadData(f"There must be {self.n_experts} experts as before, but are {experts}.")
        if names is not None and self._names() not in (None, tuple(names)):
            raise BadData(
                f"The experts must be those of before, in their order, but are {', '.join(names)}."
            )

    def _is_begun(self, experts: int) -> bool:
        """Whether there is a state for so many experts and these parameters."""
        begun = hasattr(self, "rounds_") and experts == self.n_experts
        return begun and self.played_ == self._parameters()

    def _require_same(self) -> None:
        """Refuse parameters other than those of the rounds played: promises are about those."""
        for name, value in self.played_.items():
            given = getattr(self, name)
            if given is not value and _fixed(given) != value:
                must = f"{value!r}, as in the rounds played"
                require(False, name, must, given, "Clone the policy to begin anew.")

    def _require_saveable(self) -> None:
        """Refuse to be written to a file that could not be opened: it would hold other parameters than were played."""
        if hasattr(self, "played_"):
            self._require_same()

    def _ahead(self, experts: int | None, names: Sequence[str] | None) -> Self:
        """A copy that has met the experts and may try a round: this policy stays as it is."""
        twin = object.__new__(type(self))
        for name, value in vars(self).items():
            held = isinstance(value, np.ndarray) and value.dtype != object
            twin.__dict__[name] = value.copy() if held else value
        if not hasattr(self, "rounds_") and not isinstance(self.random_state, int):
            # A generator is left where it stands.
            twin.random_state = copy.deepcopy(check_random_state(self.random_state))
        twin._meet(self.n_experts if experts is None else experts, names)
        return twin

    @contextmanager
    def _meeting(self, experts: int, names: Sequence[str] | None) -> Iterator[None]:
        """Meet the experts, unless what follows is refused before a first round was played."""
        self._meet(experts, names)
        try:
            yield
        except Exception:
            if not self.rounds_:
                for name in [*self._begin(experts), "expert_names_"]:
                    self.__dict__.pop(name, None)
            raise

    def _require_state(self) -> None:
        """Refuse a state that this policy could not have come to; for model files."""
        fresh = self._begin(len(self.totals_))
        if self.played_ != fresh["played_"]:
            raise ValueError("its parameters are not those that it was played with")
        for name, value in fresh.items():
            if isinstance(value, np.ndarray) and getattr(self, name).shape != value.shape:
                raise ValueError(f"{name} is of another size")
        if getattr(self, "loss", None) != "entropic" and not np.isfinite(self.totals_).all():
            raise ValueError("its experts lost more than any could have")
        if self.log_ and self.log_[0].keys() != self._marks().keys():
            raise ValueError("its log has other columns")

    @property
    def n_experts(self) -> int:
        """How many experts there are."""
        if not hasattr(self, "rounds_"):
            raise NotFittedError(f"This {type(self).__name__} has not played a round yet.")
        return len(self.totals_)

    def _require_begun(self) -> None:
        """Refuse to tell of rounds before there are some, or when parameters have changed since."""
        if self.n_experts:
            self._require_same()

    def _names(self) -> tuple[str, ...] | None:
        return tuple(self.expert_names_) if hasattr(self, "expert_names_") else None

    def _expert(self, place: int) -> str:
        return expert_named(self._names(), place)

    def _round(self, place: int) -> Where:
        return Where(round=self.rounds_ + place + 1)

    def _blocks(self, rounds: int) -> list[slice]:
        """Which rounds are played together: all, or when traced each by itself."""
        size = 1 if self.trace else max(1, rounds)
        return [slice(start, start + size) for start in range(0, rounds, size)]

    def _add(self, place: int, values: Floats) -> None:
        accumulate(values, self.sums_, place)

    def _sum(self, place: int) -> float:
        return float(self.sums_[place] + self.sums_[place + 1])

    # What happened

    def _lost(self) -> float:
        """The policy's own loss."""
        return self._sum(LOSS)

    def _followed(self) -> dict[str, float]:
        """What the proof follows, read off after a round; the policy's loss among it."""
        return {"loss": self._lost(), "best": float(least_of(self.totals_))}

    def _paid(self, loss: float) -> Any:
        """What the policy lost in the rounds of each expert: of all of them, where nobody sleeps."""
        return loss

    def _marks(self) -> dict[str, float]:
        """All that a trace holds of a round."""
        marks = self._followed()
        marks["regret"] = float(np.max(self._paid(marks["loss"]) - self.totals_))
        return marks | {f"{_EXPERT}{i}": lost for i, lost in enumerate(self.totals_.tolist())}

    def _keep(self) -> None:
        """Write down the round just played."""
        self.log_.append(self._marks())

    def _trace(self) -> dict[str, Floats] | None:
        if not self.trace:
            return None
        names = sorted(name for name in self._marks() if not name.startswith(_EXPERT))
        columns = {name: np.array([marks[name] for marks in self.log_]) for name in names}
        rows = [[marks[f"{_EXPERT}{i}"] for i in range(self.n_experts)] for marks in self.log_]
        each = np.array(rows).reshape(len(rows), self.n_experts)
        return {"expert_losses": each} | columns

    def _recorded(self) -> dict[str, Any]:
        """What the record holds besides what every policy has."""
        return {}

    @property
    def record_(self) -> ExpertRecord:
        """What happened so far."""
        self._require_begun()
        more: dict[str, Any] = {"names": self._names(), "trace": self._trace()}
        return self._record(
            self.rounds_, self._lost(), self.totals_.copy(), **more, **self._recorded()
        )

    #: Against whom: "best", "each", or an expert by number or name.
    declares = ("against",)

    def _guaranteed(self, terms: Terms) -> list[Guarantee]:
        """The theorems about this run, against the best expert when nothing else is asked for."""
        record = self.record_
        if not record.rounds:
            return []
        compared = rivals(record, terms.get("against", "best"))
        return [g for expert in compared for g in self._guarantees(record, expert)]

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

        policy = cls(**parameters)
        if getattr(policy, "loss", "") is None:
            raise BadParameter(
                f"{cls.__name__} without a loss takes losses, which models do not give. Name a loss, as in "
                "AdaHedge.from_models(models, loss='square')."
            )
        return ModelExperts(policy, models)


class AdvisedPolicy(ExpertPolicy):
    """Base of the policies that are always told what the experts said, and what came true."""

    def update(self, advice: Any, outcome: Any) -> None:
        """Learn one round from advice and the outcome.

        Parameters
        ----------
        advice : array-like of shape (n_experts,), or dict by name
            What each expert said; NaN or None if it slept, where experts may.
        outcome : label or number
            What came true.
        """
        cells, names = single(advice, self._names(), "advice")
        self._learn(cells, names, [outcome])

    def play(self, advice: Any, outcomes: Any) -> Array:
        """Play many rounds by the same compiled step as one at a time, to the same bits.

        Parameters
        ----------
        advice : array-like or data frame of shape (n_rounds, n_experts)
            What each expert said; NaN or None where it slept, where experts may.
        outcomes : array-like of shape (n_rounds,)
            What came true.

        Returns
        -------
        array of shape (n_rounds,)
            The predictions.
        """
        return self._learn(*table(advice, "advice"), outcomes)

    def _learn(self, cells: Array, names: Any, outcomes: Any) -> Array:
        """Learn a table of rounds; return the predictions."""
        raise NotImplementedError


def _fixed(value: Any) -> Any:
    """A parameter as it can be compared, and does not change by itself."""
    return tuple(value) if isinstance(value, list | np.ndarray) else value
