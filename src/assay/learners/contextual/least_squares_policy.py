"""Policies that forecast the loss of every action by least squares, in compiled rounds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

import numpy as np

from assay.compiled.bandits.action_features import width, write_rows
from assay.compiled.bandits.contextual_game import (
    ASKED,
    EXPLORED,
    FLOOR,
    GAPS,
    KNOWN,
    LATE,
    LOG_DET,
    LOSS,
    MOST,
    NORM,
    REGRET,
    SETTINGS,
    SHRINKAGE,
    SQUARES,
    SUMS,
    SURPRISE,
    TALLIES,
    TARGETS,
    TOLD,
    WEIGHED,
    choose_round,
    learn_row,
)
from assay.compiled.bandits.logged_round import learn_logged_round
from assay.compiled.common.elementary import log
from assay.errors import BadData, BadParameter
from assay.learners.common import kinds
from assay.learners.contextual.inputs import (
    NO_FEATURES,
    NOTHING,
    action_of,
    allowed_of,
    loss_of,
    numbers,
    require_finite,
    table_of_losses,
)
from assay.learners.contextual.policy import ContextualPolicy
from assay.record.contextual import ContextualRecord, RidgeRecord
from assay.theory.needs import count, nonnegative, positive
from assay.types import Bools, Floats

_MOST_NUMBERS = 2**27
_LONGEST = 1e100
_SHARED = ("penalty", "parameter_norm", "least_propensity", "products")


class LeastSquaresPolicy(ContextualPolicy):
    """Base of the policies that forecast losses as 1/2 and what least squares make of the losses less 1/2.

    Without features of actions every action has a model of its own of the context. With features there is one model,
    of the context, the action, and the products of both.
    """

    settings: ClassVar[tuple[str, ...]] = (*_SHARED, "delta")
    state = kinds.declare(
        n_context_=kinds.count,
        n_action_=kinds.whole(-1),
        arms_=kinds.whole(1, _MOST_NUMBERS),
        numbers_=kinds.amounts(SETTINGS),
        models_=kinds.maybe(kinds.numbers(None, "dimensions", "arms_")),
        tally_=kinds.counts(TALLIES, most=2**53),
        sums_=kinds.amounts(SUMS),
        row_=kinds.maybe(kinds.numbers("dimensions"), along="choice_"),
        model_=kinds.maybe(kinds.count, along="choice_"),
    )

    arms: int
    penalty: float
    parameter_norm: float
    products: bool

    _kind: ClassVar[int]

    # What a subclass adds

    def _checked(self) -> None:
        """Refuse parameters of its own that are out of range."""

    def _own_numbers(self, settings: Mapping[str, Any], numbers: Floats) -> None:
        """Its own numbers, where the compiled round looks for them."""

    # One round at a time

    def choose(
        self, context: Any = None, actions: Any = None, excluded: Iterable[int] = ()
    ) -> tuple[int, float]:
        """Choose an action for a round. Asked again, it is another round.

        Parameters
        ----------
        context : array-like of shape (features,), optional
            What is known of the round.
        actions : array-like of shape (actions, features), optional
            What is known of each action of the round; without it the actions are 0 to ``arms - 1``, each with a
            model of its own.
        excluded : iterable of int
            The actions that may not be chosen in this round.

        Returns
        -------
        action : int
        probability : float
            With which it was chosen, given all that came before.
        """
        seen, table = self._round(context, actions)
        # Before anything is written: a number that is none would stay in every sum.
        with np.errstate(over="ignore"):
            length = np.dot(seen, seen) + np.vdot(table, table)
        if not length <= _LONGEST:
            require_finite(context=seen, actions=table)
        if not hasattr(self, "numbers_"):
            self._open(len(seen), table)
        n = len(table) or self.arms_
        allowed = np.ones(n, dtype=np.bool_) if excluded == () else allowed_of(excluded, n)
        if self.numbers_[FLOOR]:
            self._require_floor(int(allowed.sum()))
        chances = np.empty(n)
        action, self.row_ = self._chosen(seen, table, allowed, chances)
        choice = action, float(chances[action])
        self.choice_, self.chances_ = choice, chances
        self.model_, self.told_ = 0 if len(table) else action, False
        return choice

    def _chosen(
        self, seen: Floats, table: Floats, allowed: Bools, chances: Floats
    ) -> tuple[int, Floats]:
        """The action, and its features; writes the chances of all."""
        row = np.empty(self.models_.shape[1])
        own = self.numbers_, self.generator_, self.tally_, self.sums_, self.models_
        action = choose_round(self._kind, *own, seen, table, self.products_, allowed, chances, row)
        return action, row

    def _learn_choice(self, action: int, chance: float, loss: float) -> None:
        self._learn_row(self.row_, self.model_, loss, 1.0)

    def _learn_row(self, row: Floats, model: int, loss: float, weight: float) -> None:
        learn_row(self.tally_, self.sums_, self.models_, row, model, loss, weight)

    def learn(
        self,
        context: Any,
        action: int,
        loss: float,
        *,
        actions: Any = None,
        probability: float | None = None,
        weight: float = 1.0,
    ) -> None:
        """Learn the loss of an earlier round, or of one that somebody else played.

        Parameters
        ----------
        context, actions : array-like
            As for `choose`.
        action : int
            The action that was taken.
        loss : float
            Its loss, between 0 and 1.
        probability : float, optional
            With which it was chosen. Least squares do not ask for it; it is taken so that all policies are told alike.
        weight : float, default=1.0
            How much the example counts.
        """
        seen, table = self._round(context, actions)
        opened = hasattr(self, "numbers_")
        n = len(table) or (self.arms_ if opened else count("arms", self.arms, at_least=1))
        place, paid = action_of("action", action, n), loss_of(loss)
        weighs = float(positive("weight", weight).low)
        require_finite(context=seen, actions=table)
        if not opened:
            self._open(len(seen), table)
        shared = bool(len(table))
        row = np.ascontiguousarray(self._rows(seen, table)[:, place if shared else 0])
        self.tally_[LATE] += 1
        self._learn_row(row, 0 if shared else place, paid, weighs)

    def _learn_logged(
        self, given: tuple[Any, Any, Any], losses: Floats, propensities: Floats, robust: bool
    ) -> None:
        """Learn from rounds of another policy what every action is estimated to have lost."""
        contexts, features, actions = given
        rounds = []
        for t, action in enumerate(actions.tolist()):
            seen, table = self._round(
                None if contexts is None else contexts[t], None if features is None else features[t]
            )
            require_finite(contexts=seen, features=table)
            if not hasattr(self, "numbers_"):
                self._open(len(seen), table)
            place = action_of("actions", action, len(table) or self.arms_)
            rounds.append((seen, table, place))
        oracle = self._oracle()
        for told, loss, chance in zip(rounds, losses.tolist(), propensities.tolist(), strict=True):
            self._learn_estimates(oracle, *told, loss, chance, robust)
        for at in (TOLD, LATE, WEIGHED):
            self.tally_[at] += len(losses)

    def _oracle(self) -> Any:
        """What forecasts the losses of the log: it begins with nothing."""
        oracle = np.zeros_like(self.models_)
        d = oracle.shape[1]
        oracle[np.arange(d), np.arange(d)] = math.sqrt(float(self.settings_["penalty"]))
        return oracle

    def _learn_estimates(
        self,
        oracle: Any,
        seen: Floats,
        table: Floats,
        action: int,
        loss: float,
        chance: float,
        robust: bool,
    ) -> None:
        own, told = (self.sums_, self.models_, oracle), (seen, table, self.products_)
        learn_logged_round(*own, *told, action, loss, chance, robust)

    def _rows(self, seen: Floats, table: Floats) -> Floats:
        """The features of every action, one column each; one column where all models see the same."""
        rows = np.empty((width(seen, table, self.products_), len(table) or 1))
        write_rows(seen, table, self.products_, rows)
        return rows

    def _round(self, context: Any, actions: Any) -> tuple[Floats, Floats]:
        """The features of a round, of the widths that all rounds have."""
        seen = NOTHING if context is None else numbers("context", context, 1)
        table = NO_FEATURES if actions is None else numbers("actions", actions, 2)
        if actions is not None and not len(table):
            raise BadData("actions must hold one row at least, but are empty.")
        if hasattr(self, "numbers_"):
            if len(seen) != self.n_context_:
                raise BadData(
                    f"context must hold {self.n_context_} numbers, as in the first round, but holds {len(seen)}."
                )
            if (table.shape[1] if len(table) else -1) != self.n_action_:
                first = "no features" if self.n_action_ < 0 else f"{self.n_action_} features each"
                raise BadData(f"actions must have {first}, as in the first round.")
        return seen, table

    # Whole sequences

    def play(
        self, losses: Any, contexts: Any = None, actions: Any = None, means: Any = None
    ) -> Any:
        """Play against the losses of all actions, round by round: the same steps as one at a time.

        The policy sees only the losses of the actions it takes.

        Parameters
        ----------
        losses : array-like of shape (rounds, actions)
            Numbers between 0 and 1.
        contexts : array-like of shape (rounds, features), optional
            What is known of each round.
        actions : array-like of shape (actions, features) or (rounds, actions, features), optional
            What is known of each action, the same in all rounds or in each.
        means : array-like of shape (rounds, actions), optional
            The mean losses, where they are known: then so is the regret.

        Returns
        -------
        self
        """
        table = table_of_losses("losses", losses)
        rounds, n = table.shape
        seen = np.zeros((rounds, 0)) if contexts is None else numbers("contexts", contexts, 2)
        features, given = np.zeros((1, 0, 0)), actions is not None
        if given:
            axes = 2 if np.ndim(actions) == 2 else 3
            features = numbers("actions", actions, axes)
            features = features[None] if axes == 2 else features
        known = np.zeros((0, 0)) if means is None else table_of_losses("means", means)
        require_finite(contexts=seen, actions=features)
        fits = [
            len(seen) == rounds,
            not given or (features.shape[1] == n and features.shape[0] in (1, rounds)),
            means is None or known.shape == table.shape,
        ]
        if not all(fits) or not rounds or not n:
            raise BadData(
                f"losses, contexts, actions and means must tell of the same rounds and actions, but have the shapes "
                f"{table.shape}, {seen.shape}, {features.shape} and {known.shape}."
            )
        self._round(seen[0] if contexts is not None else None, features[0] if given else None)
        if not hasattr(self, "numbers_"):
            self._open(seen.shape[1], features[0])
        if not given and n != self.arms_:
            raise BadData(
                f"losses must have one column for each of the {self.arms_} actions, but have {n}."
            )
        self._require_floor(n)
        kept = rounds if self.trace else 0
        traced = np.empty(kept, dtype=np.int64), np.empty(kept), np.empty(kept)
        self._play(seen, features, table, known, traced)
        self.told_ = True
        if kept:
            self._keep(*traced)
        return self

    def _play(
        self, contexts: Floats, tables: Floats, losses: Floats, means: Floats, traced: Any
    ) -> None:
        rounds, n = losses.shape
        allowed, chances = np.ones(n, dtype=np.bool_), np.empty(n)
        costs = means - means.min(axis=1, keepdims=True) if len(means) else means
        chosen, drawn, paid = traced
        shared = tables.shape[1] > 0
        for t in range(rounds):
            table = tables[t if len(tables) == rounds else 0]
            action, row = self._chosen(contexts[t], table, allowed, chances)
            loss = float(losses[t, action])
            if len(costs):
                self.sums_[REGRET] += costs[t, action]
            if len(chosen):
                chosen[t], drawn[t], paid[t] = action, chances[action], loss
            self._learn_row(row, 0 if shared else action, loss, 1.0)
        self.tally_[KNOWN] += len(costs)

    # What happened

    @property
    def record_(self) -> ContextualRecord:
        """What happened so far."""
        common, sums = self._happened(), self.sums_
        d, models = self.models_.shape[1:]
        best = float(sums[TARGETS]) - float((self.models_[d] * self.models_[d + 1]).sum())
        return RidgeRecord(
            **common,
            dimension=d * models,
            feature_norm=math.sqrt(float(sums[NORM])),
            explored=int(self.tally_[EXPLORED]),
            weighted=int(self.tally_[WEIGHED]),
            gaps=float(sums[GAPS]),
            log_determinant=float(sums[LOG_DET]),
            squared_errors=float(sums[SQUARES]),
            best_squared_errors=best,
        )

    def _happened(self) -> dict[str, Any]:
        """What the record of every policy holds."""
        if not hasattr(self, "numbers_"):
            raise BadData("Nothing has been chosen yet. Call choose() first.")
        tally, sums = self.tally_, self.sums_
        asked, told, late = (int(tally[at]) for at in (ASKED, TOLD, LATE))
        return {
            "asked": asked,
            "rounds": told,
            "loss": float(sums[LOSS]),
            "late": late,
            "untold": max(asked - (told - late) - (not self.told_), 0),
            "most_actions": int(tally[MOST]),
            "regret": float(sums[REGRET]) if 0 < asked == int(tally[KNOWN]) else None,
            "settings": dict(self.settings_),
            "trace": self._traced(),
        }

    # The state

    @property
    def products_(self) -> bool:
        """Whether features of the round are multiplied with those of actions."""
        return bool(self.settings_["products"]) and self.n_action_ >= 0

    def _open(self, width: int, table: Floats) -> None:
        shared, products = bool(len(table)), self.products
        models = 1 if shared else count("arms", self.arms, at_least=1)
        positive("penalty", self.penalty), nonnegative("parameter_norm", self.parameter_norm)
        if not isinstance(products, bool | np.bool_):
            raise BadParameter(f"products must be True or False, but is {products!r}.")
        self._floor()
        self._checked()
        a = table.shape[1] if shared else 0
        self._hold_settings()
        self._begin(1 + width + a + (width * a if products else 0), models)
        self.n_context_, self.n_action_ = width, a if shared else -1
        self.generator_, self.arms_ = self._started(), models
        self.tally_, self.sums_ = np.zeros(TALLIES, dtype=np.int64), np.zeros(SUMS)
        self.numbers_, self.told_ = self._numbers_of(self.settings_), True

    def _begin(self, d: int, models: int) -> None:
        """The models before any example."""
        if d * d * models > _MOST_NUMBERS:
            raise BadParameter(
                f"{models:,} models of {d:,} features take more than {_MOST_NUMBERS:,} numbers. "
                "Give fewer features, or products=False."
            )
        self.models_ = np.zeros((d + 2, d, models))
        self.models_[np.arange(d), np.arange(d)] = math.sqrt(float(self.penalty))

    def _numbers_of(self, settings: Mapping[str, Any]) -> Floats:
        """The numbers that compiled rounds are played with."""
        numbers = np.zeros(SETTINGS)
        numbers[FLOOR] = settings.get("least_propensity", 0.0)
        self._own_numbers(settings, numbers)
        return numbers

    def _interval_numbers(self, settings: Mapping[str, Any], numbers: Floats) -> None:
        """Those of the intervals around forecasts."""
        numbers[SURPRISE] = -2.0 * float(log(float(settings["delta"])))
        numbers[SHRINKAGE] = math.sqrt(settings["penalty"]) * settings["parameter_norm"]

    def _require_state(self) -> None:
        """Refuse, in a model file, a memory that no run leaves behind."""
        self._require_choice()
        if not hasattr(self, "models_"):
            raise ValueError("it has no models_")
        rows, d, models = self.models_.shape
        factor = self.models_[:d]
        a, c = self.n_action_, self.n_context_
        wide = 1 + c + max(a, 0) + (c * a if self.products_ else 0)
        tally, diagonal = self.tally_, factor[np.arange(d), np.arange(d)]
        asked, told, late = (int(tally[at]) for at in (ASKED, TOLD, LATE))
        fits = [
            d == wide and rows == d + 2 and (a < 0 or models == 1),
            np.array_equal(self._numbers_of(self.settings_), self.numbers_),
            (diagonal > 0).all(),
            not np.tril(factor.transpose(2, 0, 1), -1).any(),
            late <= told and told - late <= asked,
            max(int(tally[at]) for at in (KNOWN, EXPLORED)) <= asked,
            int(tally[WEIGHED]) <= late,
            not hasattr(self, "choice_") or self._row_fits(d),
        ]
        if not all(fits):
            raise ValueError("its memory is none that it could have come to")

    def _row_fits(self, d: int) -> bool:
        shared, (action, _) = self.n_action_ >= 0, self.choice_
        return (
            len(self.row_) == d
            and self.model_ == (0 if shared else action)
            and (shared or len(self.chances_) == self.arms_)
        )
