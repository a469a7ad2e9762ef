"""Layers of gates: what they answer, and the gradient of their loss by backpropagation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import expit, log_softmax

from assay.types import Array, Floats, Ints

_BLOCK = 2**18  # numbers of one layer that are worked out at a time when predicting

#: Of each gate its function, and the product with its slope where it answers a; both in place.
GATES: dict[str, tuple[Callable[[Array], Any], Callable[[Array, Array], Any]]] = {
    "identity": (lambda z: z, lambda a, pull: pull),
    "logistic": (
        lambda z: expit(z, out=z),
        lambda a, pull: np.multiply(np.multiply(pull, a, out=pull), 1 - a, out=pull),
    ),
    "tanh": (lambda z: np.tanh(z, out=z), lambda a, pull: np.multiply(pull, 1 - a**2, out=pull)),
    "relu": (lambda z: np.maximum(z, 0, out=z), lambda a, pull: np.multiply(pull, a > 0, out=pull)),
}


class Network:
    """Weights in one vector, seen as a matrix and an intercept for each layer.

    Parameters
    ----------
    sizes : sequence of int
        Features, gates of each hidden layer, and outputs: one for two classes, else one for each class.
    activation : str
        The gates, a name in `GATES`.
    parameters : array of shape (q,)
        The matrices of all layers, then their intercepts; not copied.
    """

    def __init__(self, sizes: Sequence[int], activation: str, parameters: Array) -> None:
        self.sizes, self.activation = tuple(sizes), activation
        self.gate, self.slope = GATES[activation]
        self.parameters = parameters
        self.coefs, self.intercepts = self.parts(parameters)
        self._rooms: dict[tuple[str, int], Array] = {}

    @classmethod
    def drawn(
        cls, sizes: Sequence[int], activation: str, dtype: np.dtype[Any], rng: Any
    ) -> Network:
        """Uniform weights, the narrower the more gates they come from and go to."""
        network = cls(sizes, activation, np.zeros(size_of(sizes), dtype=dtype))
        for coef, intercept in zip(network.coefs, network.intercepts, strict=True):
            factor = 2.0 if activation == "logistic" else 6.0
            bound = np.sqrt(factor / max(sum(coef.shape), 1))
            coef[...] = rng.uniform(-bound, bound, coef.shape)
            intercept[...] = rng.uniform(-bound, bound, intercept.shape)
        return network

    def parts(self, vector: Array) -> tuple[list[Array], list[Array]]:
        """A vector of all weights, or of their gradient, layer by layer."""
        coefs, intercepts, start = [], [], 0
        for inputs, outputs in pairwise(self.sizes):
            coefs.append(vector[start : start + inputs * outputs].reshape(inputs, outputs))
            start += inputs * outputs
        for outputs in self.sizes[1:]:
            intercepts.append(vector[start : start + outputs])
            start += outputs
        return coefs, intercepts

    def scores(self, X: Any) -> Array:
        """What the last layer answers, before the logistic function or the softmax."""
        step = max(1, _BLOCK // max(self.sizes[1:]))
        scores = np.empty((X.shape[0], self.sizes[-1]), dtype=self.parameters.dtype)
        for start in range(0, X.shape[0], step):
            *_, last = self._forward(X[start : start + step])
            scores[start : start + step] = last
        return scores

    def objective(
        self, X: Any, codes: Ints, weights: Floats | None, alpha: float, gradient: Array
    ) -> float:
        """The mean cross-entropy and the penalty; the gradient is written into the vector given."""
        layers = list(self._forward(X))
        total = float(len(codes)) if weights is None else float(weights.sum())
        losses, pull = losses_of(layers[-1], codes)
        if weights is not None:
            pull *= weights[:, None].astype(pull.dtype, copy=False)
        loss = float(losses.sum() if weights is None else weights @ losses) / total
        lengths = sum(float(np.vdot(coef, coef)) for coef in self.coefs)
        self._backward(layers, pull, alpha, total, gradient)
        return loss + 0.5 * alpha * lengths / total

    def _forward(self, X: Any) -> Iterator[Any]:
        """The rows, then what every layer makes of them."""
        yield X
        layer = X
        for place, (coef, intercept) in enumerate(zip(self.coefs, self.intercepts, strict=True), 1):
            layer = self._product(layer, coef, f"forward {place}")
            layer += intercept
            if place < len(self.coefs):
                self.gate(layer)
            yield layer

    def _backward(
        self, layers: list[Any], pull: Array, alpha: float, total: float, gradient: Array
    ) -> None:
        coef_parts, intercept_parts = self.parts(gradient)
        for place in range(len(self.coefs) - 1, -1, -1):
            below, coef, part = layers[place], self.coefs[place], coef_parts[place]
            if sparse.issparse(below):
                part[...] = below.T @ pull
            else:
                np.matmul(below.T, pull, out=part)
            part += alpha * coef
            part /= total
            intercept_parts[place][...] = pull.sum(axis=0) / total
            if place:
                pull = self._product(pull, coef.T, f"backward {place}")
                self.slope(below, pull)

    def _product(self, left: Any, right: Array, room: str) -> Array:
        """A product in memory that is used again for every batch."""
        if sparse.issparse(left):
            return np.asarray(left @ right)
        rows, columns = left.shape[0], right.shape[1]
        held = self._rooms.get((room, columns))
        if held is None or len(held) < rows:
            held = np.empty((rows, columns), dtype=right.dtype)
            self._rooms[room, columns] = held
        return np.matmul(left, right, out=held[:rows])


def size_of(sizes: Sequence[int]) -> int:
    """How many weights layers of these sizes have.

    Examples
    --------
    >>> size_of([4, 3, 1])
    19
    """
    return sum(inputs * outputs + outputs for inputs, outputs in pairwise(sizes))


def losses_of(scores: Array, codes: Ints) -> tuple[Array, Array]:
    """The cross-entropy of each row, and its gradient by the scores.

    Examples
    --------
    >>> losses, pull = losses_of(np.array([[0.0]]), np.array([1]))
    >>> losses.round(6).tolist(), pull.tolist()
    ([0.693147], [[-0.5]])
    """
    if scores.shape[1] == 1:
        score, on = scores[:, 0], codes.astype(scores.dtype)
        pull = expit(score)
        pull -= on
        return np.logaddexp(0, score) - on * score, pull[:, None]
    likely = log_softmax(scores, axis=1)
    rows = np.arange(len(codes))
    losses = -likely[rows, codes]
    pull = np.exp(likely)
    pull[rows, codes] -= 1
    return losses, pull
