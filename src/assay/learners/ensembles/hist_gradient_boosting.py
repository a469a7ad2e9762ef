"""What gradient boosting of classes and of numbers shares: rounds, early stopping, predictions, model files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from assay.errors import BadData, require
from assay.guarantees.gradient_boosting import PROVEN, gradient_boosting_guarantees
from assay.learners.common import kinds
from assay.learners.common.blocks import Blocks
from assay.learners.common.guaranteed import fitted_elsewhere
from assay.learners.common.jobs import workers_of
from assay.learners.common.known_to_tools import known_to_tools
from assay.learners.common.skipped_checks import NOT_RUN
from assay.learners.ensembles.boosted_trees import MOST_LEAVES, TREES, BoostedTrees
from assay.learners.ensembles.boosting_bins import GROUP, Bins, require_few
from assay.learners.ensembles.boosting_blocks import BlockRounds, bins_of_blocks, loss_of
from assay.learners.ensembles.boosting_judge import Judge
from assay.learners.ensembles.boosting_losses import LOSSES, BoostingLoss, mean_loss, start_of
from assay.learners.ensembles.boosting_parameters import require_hist, together_of
from assay.learners.ensembles.boosting_rounds import Rounds, TreeLimits
from assay.learners.ensembles.boosting_sample import BoostingSample, HistReader
from assay.learners.ensembles.warm_start import require_same_sample, sample_digest
from assay.learners.trees.base import _are_categories
from assay.learners.trees.directions import directions_of
from assay.record.gradient_boosting import GradientBoostingRecord
from assay.types import Array, Floats, Ints

# Rows from which on early_stopping="auto" stops early.
_MANY = 10_000
_SEEDS = np.iinfo(np.uint32).max


# `partial_dependence` asks; of the classes themselves nobody shall think that they have scikit-learn's attributes.
@known_to_tools("ensemble._hist_gradient_boosting.gradient_boosting", "BaseHistGradientBoosting")
class HistGradientBoosting(HistReader):
    """Base of the two: trees from cells in bins, each fitted to the gradients that the others leave."""

    #: The checks of scikit-learn that are not run, and why.
    skipped_checks: ClassVar[Mapping[str, str]] = NOT_RUN | dict.fromkeys(
        (
            "check_sample_weight_equivalence_on_dense_data",
            "check_sample_weight_equivalence_on_sparse_data",
        ),
        "a weight of two and a row that stands twice are counted differently by min_samples_leaf and by bins",
    )

    state = kinds.declare(
        trees_=TREES,
        cuts_=kinds.array("<f8", "n_features_in_", 256),
        used_=kinds.counts("n_features_in_", least=1, most=255),
        kinds_=kinds.counts("n_features_in_", least=1, most=2),
        gaps_=kinds.counts("n_features_in_", most=1),
        categories_=kinds.each(kinds.optional(kinds.plain(_are_categories)), "n_features_in_"),
        start_=kinds.numbers("n_trees_per_iteration_"),
        n_trees_per_iteration_=kinds.whole(1),
        loss_=kinds.one_of(*LOSSES),
        rate_=kinds.real(0),
        losses_=kinds.numbers(None),
        drops_=kinds.amounts(most=1),
        validation_losses_=kinds.numbers(None),
        train_scores_=kinds.numbers(None),
        rows_=kinds.whole(1),
        even_=kinds.flag,
        proven_=kinds.flag,
        stops_=kinds.flag,
        stopped_early_=kinds.flag,
        sample_=kinds.text,
        seed_=kinds.count,
    )

    enough: ClassVar[tuple[str, ...]] = (
        "trees_",
        "cuts_",
        "used_",
        "kinds_",
        "gaps_",
        "categories_",
        "start_",
        "n_trees_per_iteration_",
        "loss_",
        "rate_",
        "classes_",
    )

    trees_: dict[str, Array]
    start_: Floats
    losses_: Floats
    drops_: Floats
    validation_losses_: Floats
    train_scores_: Floats
    proven_: bool
    n_trees_per_iteration_: int
    seed_: int
    _trees: BoostedTrees

    # Learning

    def _boost(
        self,
        X: Any,
        y: Array,
        weights: Floats | None,
        loss: BoostingLoss,
        share: float,
        outputs: int,
        held: BoostingSample | None,
    ) -> tuple[Any, Floats]:
        """The rounds, from cells, targets as numbers and weights; which rows trees were fitted to, and their scores."""
        d = X.shape[1]
        arity = require_few(type(self).__name__, self.categories_, int(self.max_bins))
        workers = workers_of(self.n_jobs)
        rising = directions_of(self, d, np.array(arity) > 0)
        together = together_of(self.interaction_cst, d)
        many = len(y) > _MANY or held is not None
        self.stops_ = many if isinstance(self.early_stopping, str) else bool(self.early_stopping)
        apart = () if held is None else (held.X, held.y, held.weights)
        settings = (
            self.max_bins,
            self.learning_rate,
            self.stops_ and self.validation_fraction,
            str(self.scoring),
            str(self.categorical_features),
            *apart,
        )
        sample = (
            sample_digest(X, y, weights, *settings, loss.name, share, outputs)
            if self.warm_start
            else ""
        )
        old = self._continued(sample)
        seed = self.seed_ if old is not None else self._drawn_seed()
        fitted, rows = BoostingSample(X, y, weights), slice(None)
        if held is None and self.stops_ and self.validation_fraction is not None:
            fitted, held, rows = self._split(fitted, seed)
        bins = Bins.of(fitted.X, arity, int(self.max_bins), workers)
        start = start_of(loss, fitted.y, fitted.weights, share, outputs)
        limits = self._limits(len(fitted.y))
        target = fitted.y - start[0] if loss.moves else fitted.y
        score = np.empty((outputs, len(target)))
        score[:] = 0.0 if loss.moves else start[:, None]
        if old is not None:
            old.add_to(score, bins.codes(fitted.X, workers), 0, len(old), workers)
        rounds = Rounds(
            fitted.X,
            target,
            fitted.weights,
            bins,
            loss,
            share,
            limits,
            rising,
            together,
            seed,
            score,
            workers,
        )
        even = fitted.weights is None or bool((fitted.weights == fitted.weights[0]).all())
        before = old is None or self.proven_
        self._begin(bins, start, seed, sample, loss, len(target), even, rising, before)
        judge = None
        if self.stops_:
            judge = Judge(self, rounds, fitted, held, bins, share, old)
        self._run(rounds, old, judge)
        if self.proven_:
            score = rounds.score + start[:, None]
            self._prove(mean_loss(loss, fitted.y, score, fitted.weights, share))
        return rows, rounds.score

    def _limits(self, rows: int) -> TreeLimits:
        return TreeLimits(
            leaves=self._most_leaves(rows),
            depth=-1 if self.max_depth is None else int(self.max_depth),
            rows=int(self.min_samples_leaf),
            smoothing=float(self.l2_regularization),
            share=float(self.max_features),
            rate=float(self.learning_rate),
        )

    def _begin(
        self,
        bins: Bins,
        start: Floats,
        seed: int,
        sample: str,
        loss: BoostingLoss,
        rows: int,
        even: bool,
        rising: Ints,
        proven: bool,
    ) -> None:
        """Keep what is known before the first round."""
        self.n_trees_per_iteration_, self.start_, self.seed_ = len(start), start, seed
        self.cuts_, self.used_, self.kinds_ = bins.cuts, bins.used, bins.kinds
        self.gaps_, self.sample_ = bins.gaps, sample
        self.loss_, self.rate_, self.rows_ = loss.name, float(self.learning_rate), rows
        self.even_ = even
        free = self.l2_regularization == 0 and not rising.any() and 0 < self.rate_ <= 1
        self.proven_ = bool(free and loss.name in PROVEN and proven)

    def _boost_blocks(
        self, blocks: Blocks, start: Floats, loss: BoostingLoss, weights: tuple[float, float, float]
    ) -> BlockRounds:
        """The rounds, from blocks of rows; the least and the largest of their weights, and the sum of them."""
        d, low, high, total = blocks.width, *weights
        given = blocks.weighted or not low == high == 1.0
        self.categories_, self.stops_ = [None] * d, False
        rising = directions_of(self, d, np.zeros(d, bool))
        together = together_of(self.interaction_cst, d)
        bins = bins_of_blocks(blocks, [0] * d, int(self.max_bins))
        seed = self._drawn_seed()
        rounds = BlockRounds(
            blocks, bins, start, loss, 0.5, self._limits(blocks.rows), rising, together, seed,
            (high, total) if given else None,
        )  # fmt: skip
        self._begin(bins, start, seed, "", loss, blocks.rows, low == high, rising, True)
        self._run(rounds, None, None)
        if self.proven_:
            self._prove(rounds.judged(loss_of, start) / rounds.total)
        return rounds

    def _require_blocks(self) -> None:
        """Refuse what cannot be had from blocks of rows."""
        require_hist(self)
        hint = "Of blocks all rows are learned from."
        stops = self.early_stopping is True
        require(not stops, "early_stopping", "'auto' or False", self.early_stopping, hint)
        chosen = self.categorical_features
        plain = chosen is None or isinstance(chosen, str)
        hint = "Columns of blocks are numbers."
        require(plain, "categorical_features", "'from_dtype' or None", chosen, hint)

    def _prove(self, made: float) -> None:
        """Hold the promise against what predictions cost: far from zero their last digits may break it."""
        made *= 2.0 if self.loss_ == "squared_error" else 1.0
        left = np.array([*self.losses_[:-1], max(made, self.losses_[-1])])
        promises = gradient_boosting_guarantees(replace(self._record(), losses=left))
        self.proven_ = self._record().rises == 0 and all(one.holds for one in promises)

    def _drawn_seed(self) -> int:
        # As scikit-learn draws it, so that the same rows are set aside.
        return int(check_random_state(self.random_state).randint(_SEEDS, dtype="u8"))

    def _continued(self, sample: str) -> BoostedTrees | None:
        """The trees that are kept from an earlier fit."""
        if not self.warm_start or not hasattr(self, "trees_"):
            return None
        trees, rounds = self._all_trees, self.n_iter_
        require(
            self.max_iter >= rounds,
            "max_iter",
            f"at least the {rounds} that are fitted",
            self.max_iter,
        )
        require_same_sample(self.sample_, sample)
        return trees

    def _split(
        self, sample: BoostingSample, seed: int
    ) -> tuple[BoostingSample, BoostingSample, Any]:
        """The rows that trees are fitted to, and those by which rounds are stopped early."""
        many = len(sample.y)
        labels = sample.y if self._of_classes else None
        if labels is not None and np.unique(labels, return_counts=True)[1].min() < 2:
            labels = None  # a class of one row cannot be on both sides
        try:
            fitted, held = train_test_split(
                np.arange(many),
                test_size=self.validation_fraction,
                stratify=labels,
                random_state=seed,
            )
        except ValueError as problem:
            raise BadData(f"No rows can be set aside for early stopping: {problem}") from None
        return sample.part(fitted), sample.part(held), fitted

    _of_classes: ClassVar[bool] = False

    def _most_leaves(self, rows: int) -> int:
        room = max(1, rows // int(self.min_samples_leaf))
        if self.max_depth is not None and self.max_depth < 15:
            room = min(room, 2 ** int(self.max_depth))
        most = MOST_LEAVES if self.max_leaf_nodes is None else int(self.max_leaf_nodes)
        return max(2, min(most, room))

    def _run(
        self, rounds: Rounds | BlockRounds, old: BoostedTrees | None, judge: Judge | None
    ) -> None:
        K, parts = rounds.outputs, [] if old is None else [old]
        first = 0 if old is None else len(old) // K
        losses = [] if old is None else self.losses_[:-1].tolist()
        drops = [] if old is None else self.drops_.tolist()
        rounds.squares = 0.0
        if old is not None and rounds.loss.name == "squared_error":
            rounds.squares = losses[0] * rounds.total
        self.stopped_early_ = False
        most = int(self.max_iter)
        step = 1 if judge is not None or self.verbose else max(1, most - first)
        for begin in range(first, most, step):
            grown = rounds.grow(begin, min(begin + step, most))
            parts.append(grown)
            if judge is not None:
                judge.add(grown)
            self._tell(begin + 1, rounds, [] if judge is None else judge.costs)
            if judge is not None and judge.no_better(int(self.n_iter_no_change), float(self.tol)):
                self.stopped_early_ = True
                break
        self._trees = BoostedTrees.joined(parts) if parts else BoostedTrees.none()
        self.trees_ = self._trees.arrays
        self.losses_ = np.array([*losses, *rounds.losses, rounds.finish()])
        self.drops_ = np.array([*drops, *rounds.drops])
        self.validation_losses_ = np.array([] if judge is None else judge.costs)
        self.train_scores_ = np.array([] if judge is None else judge.scores)

    def _tell(self, done: int, rounds: Rounds | BlockRounds, judged: Sequence[float]) -> None:
        if not self.verbose:
            return
        most = int(self.max_iter)
        if self.verbose > 1 or done == most or done * 10 // most > (done - 1) * 10 // most:
            beside = f", on rows set aside {judged[-1]:.6g}" if judged else ""
            print(
                f"{type(self).__name__}: {done} of {most} rounds, loss before the last {rounds.losses[-1]:.6g}{beside}",
                flush=True,
            )

    # What was learned

    def _compute_partial_dependence_recursion(self, grid: Any, target_features: Any) -> Floats:
        """What scikit-learn's partial dependence asks of boosted trees, whose leaves know how many rows they have."""
        if not self.even_:
            raise NotImplementedError(
                f"{type(self).__name__} does not support partial dependence by recursion where rows had weights: its "
                "leaves know how many rows they have, and not how much these weigh. Say method='brute', with "
                "sample_weight."
            )
        from assay.learners.ensembles.peers import predictors_of  # only here: it knows this class

        cells = np.asarray(grid, np.float64, order="C")
        average = np.zeros((self.n_trees_per_iteration_, len(cells)))
        places = np.asarray(target_features, np.intp, order="C")
        for each in predictors_of(self):
            for one, sums in zip(each, average, strict=True):
                one.compute_partial_dependence(cells, places, sums)
        return average

    @property
    def _all_trees(self) -> BoostedTrees:
        check_is_fitted(self, "trees_")
        return self._trees if hasattr(self, "_trees") else BoostedTrees(**self.trees_)

    @property
    def _bins(self) -> Bins:
        return Bins(self.cuts_, self.used_, self.kinds_, self.gaps_)

    @property
    def n_iter_(self) -> int:
        """How many rounds there were."""
        return len(self._all_trees) // self.n_trees_per_iteration_

    @property
    def train_score_(self) -> Floats:
        """The loss of the sample before the first round and after each, with a minus sign, as in scikit-learn.

        The scores of the sample where `scoring` names another score, and rounds could end early.
        """
        check_is_fitted(self, "trees_")
        if len(self.train_scores_):
            return self.train_scores_
        half = 0.5 if self.loss_ == "squared_error" else 1.0
        return np.asarray(-half * self.losses_)

    @property
    def validation_score_(self) -> Floats:
        """The same of the rows set aside for early stopping; empty where there are none."""
        check_is_fitted(self, "trees_")
        return np.asarray(-self.validation_losses_)

    @property
    def do_early_stopping_(self) -> bool:
        """Whether rounds could end before `max_iter`."""
        check_is_fitted(self, "trees_")
        return self.stops_

    @property
    def is_categorical_(self) -> Array | None:
        """Which features are categories; None where none is."""
        check_is_fitted(self, "trees_")
        grouped = self.kinds_ == GROUP
        return grouped if grouped.any() else None

    @property
    def feature_importances_(self) -> Floats:
        """The share of each feature in what all questions gain; they sum to one, unless no tree has a question."""
        return self._all_trees.importances(self.n_features_in_)

    @property
    def record_(self) -> GradientBoostingRecord:
        """What the fit left behind."""
        check_is_fitted(self, "trees_")
        return self._record(**self._errors())

    def _record(self, **errors: Any) -> GradientBoostingRecord:
        return GradientBoostingRecord(
            rows=self.rows_,
            loss=self.loss_,
            rate=self.rate_,
            losses=self.losses_,
            drops=self.drops_,
            even=self.even_,
            proven=self.proven_,
            stopped="early" if self.stopped_early_ else "rounds",
            **errors,
        )

    def _errors(self) -> dict[str, Any]:
        return {}

    # Predicting

    def _raw(self, X: Any) -> Floats:
        """The scores of rows, (outputs, rows)."""
        codes, workers = self._codes(X)
        score = self._begun(len(codes))
        trees = self._all_trees
        trees.add_to(score, codes, 0, len(trees), workers)
        return self._ended(score)

    def _staged_raw(self, X: Any) -> Iterator[Floats]:
        """The scores after one round, after two, and so on."""
        codes, workers = self._codes(X)
        score, trees, K = self._begun(len(codes)), self._all_trees, self.n_trees_per_iteration_
        for first in range(0, len(trees), K):
            trees.add_to(score, codes, first, first + K, workers)
            yield self._ended(score.copy())

    def _codes(self, X: Any) -> tuple[NDArray[np.uint8], int]:
        cells, workers = self._cells(X), workers_of(self.n_jobs)
        return self._bins.codes(cells, workers), workers

    def _begun(self, rows: int) -> Floats:
        score = np.zeros((self.n_trees_per_iteration_, rows))
        if not LOSSES[self.loss_].moves:
            score[:] = self.start_[:, None]
        return score

    def _ended(self, score: Floats) -> Floats:
        if LOSSES[self.loss_].moves:
            score += self.start_[:, None]
        return score

    def _require_state(self) -> None:
        """Refuse, in a model file, trees that lead nowhere, and bins that do not ascend."""
        self._trees = BoostedTrees(**self.trees_)
        K = self.n_trees_per_iteration_
        rounds = len(self._trees) // K
        grouped = [words is not None for words in self.categories_]
        arity = np.array([len(words or ()) for words in self.categories_])
        fits = len(self._trees) == rounds * K and len(self.start_) == K
        if fitted_elsewhere(self) is None:
            fits = fits and len(self.losses_) == rounds + 1 and len(self.drops_) == rounds * K
            judged = (len(self.validation_losses_), len(self.train_scores_))
            fits = fits and all(many in (0, rounds + 1) for many in judged)
            fits = fits and (self.stops_ or not any(judged)) and self.stops_ >= self.stopped_early_
            self._require_losses()
        if not fits or not np.array_equal(self.kinds_ == GROUP, grouped):
            raise ValueError("its parts do not belong together")
        if not (arity[grouped] == self.used_[grouped]).all():
            raise ValueError("its bins do not fit its categories")
        inside = np.arange(256) < self.used_[:, None] - 1
        steps = self.cuts_[:, 1:] > self.cuts_[:, :-1]
        finite = np.isfinite(self.cuts_) if inside.any() else inside
        if not (
            (finite == inside).all()
            and (steps | ~inside[:, 1:]).all()
            and (self.cuts_[~inside] > 0).all()
        ):
            raise ValueError("its bins do not ascend")
        self._trees.require_sound(self.used_, self.kinds_)

    def _require_losses(self) -> None:
        """Refuse losses that no run leaves: below zero, or rising where it is proven that they do not."""
        proven, counted = self.loss_ in PROVEN, self.loss_ in ("log_loss", *PROVEN)
        likely = not (counted and (self.losses_ < 0).any()) and (proven or not self.drops_.any())
        if self.proven_:
            record = self._record()
            likely = likely and proven and 0 < self.rate_ <= 1 and record.rises == 0
            likely = likely and all(one.holds for one in gradient_boosting_guarantees(record))
        if not likely:
            raise ValueError("its losses are not those of any run")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        return tags
