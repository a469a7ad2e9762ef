"""When rounds of gradient boosting end early: by the loss, or by a score, of rows set aside or of the sample."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from typing import Any

import numpy as np
from sklearn.metrics import check_scoring

from assay.learners.ensembles.boosted_trees import BoostedTrees
from assay.learners.ensembles.boosting_bins import Bins
from assay.learners.ensembles.boosting_losses import mean_loss
from assay.learners.ensembles.boosting_rounds import Rounds
from assay.learners.ensembles.boosting_sample import BoostingSample
from assay.types import Floats

# Of more rows of the sample than this a part is scored.
_MOST_SCORED = 10_000


class Judge:
    """Looks at the scores of rows before the first round and after each.

    Attributes
    ----------
    costs : list of float
        The loss of the rows set aside, or minus their score; empty where none are.
    scores : list of float
        The scores of the sample; empty where the loss judges.

    Parameters
    ----------
    model : estimator
        As it is before the first round: with bins, start, and classes if it has any.
    rounds : Rounds
    fitted, held : BoostingSample
        The sample, and the rows set aside, None for none of them.
    bins : Bins
    share : float
        Of the quantile loss.
    old : BoostedTrees or None
        Trees that there were before.
    """

    def __init__(
        self,
        model: Any,
        rounds: Rounds,
        fitted: BoostingSample,
        held: BoostingSample | None,
        bins: Bins,
        share: float,
        old: BoostedTrees | None,
    ) -> None:
        self._model, self._rounds, self._share = model, rounds, share
        self._parts = [] if old is None else [old]
        self._held, self._known = held, [] if old is None else self._losses(model.losses_.tolist())
        self.costs: list[float] = [] if old is None else model.validation_losses_.tolist()
        self.scores: list[float] = [] if old is None else model.train_scores_.tolist()
        self._of_sample: Callable[[], float] | None = None
        if model.scoring is None or model.scoring != "loss":
            self._score_with(fitted)
        if held is not None:
            self._codes = bins.codes(held.X, rounds.threads)
            self._score = model._begun(len(held.y))
            if old is not None:
                old.add_to(self._score, self._codes, 0, len(old), rounds.threads)
        if old is None:
            self._look()

    def _score_with(self, fitted: BoostingSample) -> None:
        chosen: Any = slice(None)
        if len(fitted.y) > _MOST_SCORED:
            rng = np.random.default_rng(self._model.seed_)
            chosen = np.sort(rng.choice(len(fitted.y), _MOST_SCORED, replace=False))
            fitted = fitted.part(chosen)
        sample, self._scorer = fitted, check_scoring(self._model, self._model.scoring)
        self._of_sample = lambda: self._scored(sample, self._rounds.score[:, chosen])

    def _scored(self, sample: BoostingSample, score: Floats) -> float:
        """What the scorer says of rows whose scores are known."""
        view, score = copy(self._model), self._model._ended(score.copy())
        vars(view).pop("feature_names_in_", None)
        view.categories_ = [None] * len(view.categories_)  # cells are places already

        def raw(X: Any) -> Floats:
            if X is sample.X:
                return score.copy()
            view._trees = BoostedTrees.joined(self._parts) if self._parts else BoostedTrees.none()
            view.trees_ = view._trees.arrays
            rows: Floats = type(view)._raw(view, X)
            return rows

        view._raw, view.trees_ = raw, {}
        truth = view.classes_[sample.y] if hasattr(view, "classes_") else sample.y
        more = {} if sample.weights is None else {"sample_weight": sample.weights}
        return float(self._scorer(view, sample.X, truth, **more))

    def _losses(self, losses: Sequence[float]) -> list[float]:
        half = 0.5 if self._rounds.loss.name == "squared_error" else 1.0
        return [half * loss for loss in losses]

    def _look(self) -> None:
        held = self._held
        if self._of_sample is not None:
            self.scores.append(self._of_sample())
            if held is not None:
                self.costs.append(-self._scored(held, self._score))
        elif held is not None:
            score = self._model._ended(self._score.copy())
            loss = mean_loss(self._rounds.loss, held.y, score, held.weights, self._share)
            self.costs.append(loss)
        else:
            self._known += self._losses([self._rounds.finish()])

    def add(self, trees: BoostedTrees) -> None:
        """Look again after a round."""
        self._parts.append(trees)
        if self._held is not None:
            trees.add_to(self._score, self._codes, 0, len(trees), self._rounds.threads)
        self._look()

    def no_better(self, many: int, tolerance: float) -> bool:
        """Whether none of the last rounds was better than the one before them, by the tolerance."""
        costs = self.costs
        if self._held is None:
            costs = self._known if self._of_sample is None else [-score for score in self.scores]
        if len(costs) < many + 1:
            return False
        reference = costs[-many - 1] - tolerance
        return not any(cost < reference for cost in costs[-many:])
