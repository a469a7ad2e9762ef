"""A network that a learner keeps: what training begins from and goes on from, and what a file must hold."""

from __future__ import annotations

import copy
import math
from typing import Any, ClassVar

import numpy as np

from assay.errors import BadData, Where
from assay.learners.common import kinds
from assay.learners.common.guaranteed import fitted_elsewhere
from assay.learners.neural.network import Network, size_of
from assay.learners.neural.parameters import layer_sizes, require_parameters
from assay.learners.neural.training import Progress, Training
from assay.types import Array


class TrainedNetwork:
    """The weights and all else that is kept between calls; a learner adds labels and parameters."""

    hidden_layer_sizes: Any
    activation: str
    n_features_in_: int
    classes_: Array
    rows_: int
    training_errors_: int
    training_loss_: float

    enough: ClassVar[tuple[str, ...]] = ("classes_", "parameters_", "layers_", "gates_")
    state = kinds.declare(
        classes_=kinds.labels_or_one,
        parameters_=kinds.floats("parameters"),
        layers_=kinds.plain(
            lambda sizes: type(sizes) is tuple and len(sizes) > 1 and all(map(kinds.count, sizes))
        ),
        gates_=kinds.one_of("identity", "logistic", "relu", "tanh"),
        loss_curve_=kinds.each(kinds.finite),
        best_loss_=kinds.optional(kinds.amount),
        validation_scores_=kinds.optional(kinds.each(kinds.size)),
        best_validation_score_=kinds.optional(kinds.number),
        n_iter_=kinds.count,
        t_=kinds.count,
        rows_=kinds.whole(1),
        stalled_=kinds.count,
        moments_=kinds.floats(None, "parameters"),
        steps_=kinds.count,
        rate_=kinds.size,
        training_errors_=kinds.maybe(kinds.whole(most="rows_")),
        training_loss_=kinds.maybe(kinds.size, along="training_errors_"),
    )

    def _begun(
        self, classes: int, width: int, dtype: np.dtype[Any], rng: Any, *, warm: bool
    ) -> Training:
        if warm:
            network, progress = self._copied(), self._progress()
            progress.passes = 0
        else:
            sizes = layer_sizes(self.hidden_layer_sizes, width, classes)
            network, progress = Network.drawn(sizes, self.activation, dtype, rng), Progress()
        return Training(self, network, progress)

    def _resumed(self) -> Training:
        training = Training(self, self._copied(), self._progress())
        steps = training.steps
        if hasattr(self, "moments_") and self.moments_.shape == steps.moments.shape:
            steps.moments, steps.taken, steps.rate = self.moments_.copy(), self.steps_, self.rate_
        return training

    @property
    def _network(self) -> Network:
        return Network(self.layers_, self.gates_, self.parameters_)

    def _copied(self) -> Network:
        return Network(self.layers_, self.gates_, self.parameters_.copy())

    def _progress(self) -> Progress:
        return Progress(
            losses=list(self.loss_curve_),
            best_loss=np.inf if self.best_loss_ is None else self.best_loss_,
            scores=copy.copy(self.validation_scores_),
            best_score=self.best_validation_score_,
            stalled=self.stalled_,
            rows=self.t_,
            passes=self.n_iter_,
        )

    def _keep(self, training: Training) -> None:
        network, steps, progress = training.network, training.steps, training.progress
        self.parameters_ = network.parameters
        self.layers_, self.gates_ = network.sizes, network.activation
        self.moments_, self.steps_, self.rate_ = steps.moments, steps.taken, steps.rate
        self.loss_curve_, self.stalled_ = progress.losses, progress.stalled
        self.validation_scores_, self.best_validation_score_ = progress.scores, progress.best_score
        self.best_loss_ = progress.best_loss if progress.scores is None else None
        self.n_iter_, self.t_ = progress.passes, progress.rows

    @property
    def coefs_(self) -> list[Array]:
        """The weights of each layer."""
        return self._network.coefs

    @property
    def intercepts_(self) -> list[Array]:
        """The intercepts of each layer."""
        return self._network.intercepts

    @property
    def loss_(self) -> float | None:
        """The loss of the last pass."""
        return self.loss_curve_[-1] if self.loss_curve_ else self.best_loss_

    @property
    def n_layers_(self) -> int:
        """Layers, the features being one."""
        return len(self.layers_)

    @property
    def n_outputs_(self) -> int:
        """Outputs: one for two classes, else one for each."""
        return int(self.layers_[-1])

    @property
    def out_activation_(self) -> str:
        """The gates of the last layer."""
        return "logistic" if self.n_outputs_ == 1 else "softmax"

    def _answers(self, X: Any) -> Array:
        X = X.astype(self.parameters_.dtype, copy=False)
        with np.errstate(over="ignore", invalid="ignore"):
            scores = self._network.scores(X)
        bad = np.flatnonzero(~np.isfinite(scores).all(axis=1))
        if bad.size:
            raise BadData(
                "Input X cannot be predicted: ",
                Where(row=int(bad[0])),
                " is so large that its score overflows.",
            )
        return scores

    def _require_state(self) -> None:
        """Refuse, in a model file, weights that do not fit the layers, and more errors than the loss allows."""
        require_parameters(self)
        classes = len(self.classes_)
        ends = (self.n_features_in_, 1 if classes <= 2 else classes)
        fits = (self.layers_[0], self.layers_[-1]) == ends
        fits = fits and self.parameters_.size == size_of(self.layers_)
        if fitted_elsewhere(self) is None:
            fits = fits and self.moments_.dtype == self.parameters_.dtype
        if not fits:
            raise ValueError("its weights do not fit its layers")
        least = math.log(2) * getattr(self, "training_errors_", 0)
        if least > getattr(self, "training_loss_", 0.0) * (1 + 1e-9):
            raise ValueError("its errors do not fit its loss")
