"""Winnow, written from its definition: weights are powers of two, so floats hold them exactly."""

from __future__ import annotations

from typing import NamedTuple

from tests.naive.perceptron import dot


class Run(NamedTuple):
    w: list
    missed_positives: int
    missed_negatives: int
    totals: list  # the total weight at the start and after each mistake

    @property
    def mistakes(self):
        return self.missed_positives + self.missed_negatives


def winnow(X, y, factor=2.0):
    """One pass over boolean rows, labels -1 and +1: on a mistake multiply or divide what is set."""
    d = len(X[0])
    w, missed, totals = [1.0] * d, {1: 0, -1: 0}, [float(d)]
    for x, label in zip(X, y, strict=True):
        guess = 1 if dot(w, x) >= d else -1
        if guess != label:
            w = [
                (wi * factor if label == 1 else wi / factor) if xi else wi
                for wi, xi in zip(w, x, strict=True)
            ]
            missed[label] += 1
            totals.append(sum(w))
    return Run(w, missed[1], missed[-1], totals)


def products(x):
    """All 2^d products of the features of a boolean example, the empty one first."""
    values = [1]
    for xi in x:
        values += [v * xi for v in values]
    return values
