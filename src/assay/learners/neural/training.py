"""Passes over a sample in batches, until the loss or the score on a part set aside no longer improves."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import optimize, sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split
from sklearn.utils import shuffle

from assay.errors import BadData, BadParameter
from assay.learners.neural.network import Network
from assay.learners.neural.steps import Steps
from assay.types import Array, Floats, Ints


@dataclass
class Progress:
    """What training keeps from pass to pass.

    Attributes
    ----------
    losses : list of float
        The mean loss of every pass.
    best_loss : float
        The least of them.
    scores : list of float or None
        The accuracy on the part set aside, pass by pass, with early stopping.
    best_score : float or None
        The largest of them.
    stalled : int
        For how many passes nothing has improved by `tol`.
    rows : int
        Rows seen, all passes counted.
    passes : int
    """

    losses: list[float] = field(default_factory=list)
    best_loss: float = math.inf
    scores: list[float] | None = None
    best_score: float | None = None
    stalled: int = 0
    rows: int = 0
    passes: int = 0


@dataclass(frozen=True)
class Part:
    """Some rows of a sample, their classes and their weights."""

    X: Any
    codes: Ints
    weights: Floats | None

    def take(self, places: Ints) -> Part:
        """Some of them, by their places."""
        weights = None if self.weights is None else self.weights[places]
        return Part(self.X[places], self.codes[places], weights)


class Training:
    """A network, a sample, and the parameters of a learner that say how one learns the other."""

    def __init__(self, model: Any, network: Network, progress: Progress) -> None:
        self.model, self.network, self.progress = model, network, progress
        self.steps = Steps(model, network.parameters.size, network.parameters.dtype)
        self.gradient = np.empty_like(network.parameters)

    def run(self, sample: Part, rng: Any, *, once: bool) -> None:
        """Pass over the sample again and again, or once."""
        model, progress = self.model, self.progress
        part, aside = (sample, None) if once else self._parted(sample, rng)
        best = self.network.parameters.copy() if aside is not None else None
        places = np.arange(len(part.codes))
        try:
            for _ in range(model.max_iter):
                if model.shuffle:
                    places = shuffle(places, random_state=rng)
                self._pass(part, places)
                if aside is None:
                    self._compare_losses()
                elif self._compare_scores(aside):
                    best = self.network.parameters.copy()
                self.steps.end_pass(progress.rows)
                if progress.stalled > model.n_iter_no_change:
                    if not self._slower():
                        break
                    progress.stalled = 0
                if once:
                    break
            else:
                _warn(f"After {model.max_iter} passes the loss may still fall. Raise max_iter.")
        except KeyboardInterrupt:
            warnings.warn("Training was interrupted; the weights are those so far.", stacklevel=4)
        if best is not None:
            self.network.parameters[...] = best

    def _parted(self, sample: Part, rng: Any) -> tuple[Part, Part | None]:
        """The rows to learn, and those set aside for early stopping."""
        if not self.model.early_stopping:
            return sample, None
        two = self.network.sizes[-1] == 1
        learned, aside = train_test_split(
            np.arange(len(sample.codes)),
            random_state=rng,
            test_size=self.model.validation_fraction,
            stratify=sample.codes if two else None,
        )
        if len(aside) < 2:
            raise BadParameter(
                f"validation_fraction must set aside at least 2 rows, but {self.model.validation_fraction!r} "
                f"of {len(sample.codes)} rows is {len(aside)}."
            )
        if self.progress.scores is None:
            self.progress.scores, self.progress.best_score = [], -math.inf
        return sample.take(learned), sample.take(aside)

    def _pass(self, part: Part, places: Ints) -> None:
        progress, weights = self.progress, self.network.parameters
        size = batch_size(self.model.batch_size, len(places))
        room = None
        if not sparse.issparse(part.X):
            room = np.empty((size, part.X.shape[1]), dtype=part.X.dtype)
        total = 0.0
        with np.errstate(over="ignore", invalid="ignore"):  # refused below
            for start in range(0, len(places), size):
                chosen = places[start : start + size]
                share = None if part.weights is None else part.weights[chosen]
                if share is not None and not share.any():
                    continue
                X, codes = _rows(part.X, chosen, room), part.codes[chosen]
                loss = self.network.objective(X, codes, share, self.model.alpha, self.gradient)
                total += loss * len(chosen)
                self.steps.step(weights, self.gradient)
        loss = total / len(places)
        progress.passes += 1
        if not (math.isfinite(loss) and np.isfinite(weights).all()):
            raise BadData(
                f"The weights of the network overflowed in pass {progress.passes}. Scale the features, or "
                "lower learning_rate_init."
            )
        progress.rows += len(places)
        progress.losses.append(loss)
        if self.model.verbose:
            print(f"Iteration {progress.passes}, loss = {loss:.8f}")

    def _compare_losses(self) -> None:
        progress = self.progress
        loss = progress.losses[-1]
        progress.stalled = progress.stalled + 1 if loss > progress.best_loss - self.model.tol else 0
        progress.best_loss = min(progress.best_loss, loss)

    def _compare_scores(self, aside: Part) -> bool:
        """Whether the rows set aside are predicted better than ever."""
        progress = self.progress
        assert progress.scores is not None
        assert progress.best_score is not None
        right = places_of(self.network.scores(aside.X)) == aside.codes
        score = float(np.average(right, weights=aside.weights))
        progress.scores.append(score)
        if self.model.verbose:
            print(f"Validation score: {score:f}")
        stalls = score < progress.best_score + self.model.tol
        progress.stalled = progress.stalled + 1 if stalls else 0
        better = score > progress.best_score
        progress.best_score = max(progress.best_score, score)
        return better

    def _slower(self) -> bool:
        goes_on = self.steps.slower()
        if self.model.verbose:
            what = "Validation score" if self.model.early_stopping else "Training loss"
            then = f"Setting learning rate to {self.steps.rate:f}" if goes_on else "Stopping."
            passes = self.model.n_iter_no_change
            print(
                f"{what} did not improve more than tol={self.model.tol:f} for {passes} "
                f"consecutive epochs. {then}"
            )
        return goes_on

    def minimise(self, sample: Part) -> None:
        """All rows at once, by L-BFGS."""
        model, network, progress = self.model, self.network, self.progress

        def objective(vector: Floats) -> tuple[float, Floats]:
            network.parameters[...] = vector
            with np.errstate(over="ignore", invalid="ignore"):
                loss = network.objective(
                    sample.X, sample.codes, sample.weights, model.alpha, self.gradient
                )
            return loss, self.gradient.copy()

        terms = {"maxfun": model.max_fun, "maxiter": model.max_iter, "gtol": model.tol}
        done = optimize.minimize(
            objective, network.parameters.copy(), jac=True, method="L-BFGS-B", options=terms
        )
        network.parameters[...] = done.x
        if not (math.isfinite(done.fun) and np.isfinite(done.x).all()):
            raise BadData("The weights of the network overflowed. Scale the features.")
        progress.passes, progress.best_loss = int(done.nit), float(done.fun)
        progress.rows += len(sample.codes) * int(done.nit)
        if done.status != 0:
            _warn(f"L-BFGS ended before the loss stopped falling: {done.message}")


def _rows(X: Any, chosen: Ints, room: Array | None) -> Any:
    """Some rows, the dense ones in memory that is used again."""
    if room is None:
        return X[chosen]
    return X.take(chosen, axis=0, out=room[: len(chosen)], mode="clip")


def batch_size(given: Any, rows: int) -> int:
    """How many rows a step looks at.

    Examples
    --------
    >>> batch_size("auto", 1000), batch_size("auto", 50), batch_size(64, 50)
    (200, 50, 50)
    """
    return min(200 if given == "auto" else int(given), rows)


def places_of(scores: Array) -> Ints:
    """The number of the class that the outputs speak for."""
    if scores.shape[1] == 1:
        return (scores[:, 0] >= 0).astype(np.int64)
    return np.asarray(scores.argmax(axis=1))


def _warn(sentence: str) -> None:
    warnings.warn(sentence, ConvergenceWarning, stacklevel=5)
