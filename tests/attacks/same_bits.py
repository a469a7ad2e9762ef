"""Games and loops whose results are digested, so that runs can be compared to the bit; also as a program.

A scene plays one learner, policy or loop on fixed numbers. `Place` decides where in memory these numbers lie, and
`size` in how many pieces they come; neither may matter. Run as a program with names of scenes it prints a digest of
each, for comparing one machine, or one setting of it, with another.
"""

from __future__ import annotations

import functools
import hashlib
import json
import sys
import warnings

import numpy as np
from scipy import sparse

import assay
from assay.compiled.bayes.bernoulli_nb import bernoulli_scores
from assay.compiled.bayes.gaussian_nb import gaussian_scores
from assay.compiled.common import elementary
from assay.compiled.common.rows import affine, dot, sparse_dot, sparse_square, wide_dot, wide_square
from assay.compiled.experts import exponential_weights as weights
from assay.compiled.kernel.kernel_pairs import pair_sums
from assay.compiled.linear.winnow import impurity, weight_of_true
from assay.learners.model_file import Encoder, learned_of
from assay.learners.registry import find_learner, learner_names

ROUNDS, FEATURES = 70, 11
SIZES = (1, 3, 8, 64)


class Place:
    """Puts arrays at shifted addresses, between neighbours of changing size, some of which are freed again."""

    def __init__(self, number: int) -> None:
        self.random = np.random.default_rng(number)
        self.neighbours: list[np.ndarray] = []

    def __call__(self, array: np.ndarray) -> np.ndarray:
        self.neighbours.append(np.empty(int(self.random.integers(1, 200)), dtype=np.uint8))
        if len(self.neighbours) > 6:
            del self.neighbours[int(self.random.integers(0, 6))]
        array = np.ascontiguousarray(array)
        shift = int(self.random.integers(0, 16)) * array.itemsize
        room = np.empty(array.nbytes + shift, dtype=np.uint8)
        put = np.frombuffer(room.data, dtype=array.dtype, offset=shift, count=array.size)
        put = put.reshape(array.shape)
        put[...] = array
        return put


def state_of(model) -> bytes:
    """All that a model has learned, as a model file holds it, but for the number of calls."""
    encoder = Encoder()
    learned = {name: value for name, value in learned_of(model).items() if name != "n_iter_"}
    text = json.dumps(encoder.encode_each(learned), sort_keys=True)
    return text.encode() + b"".join(array.tobytes() for array in encoder.arrays)


def weights_of(model) -> bytes:
    return model.coef_.tobytes() + model.intercept_.tobytes()


def parts(size, *arrays):
    """The arrays in pieces of so many rows; whole where the size is None."""
    rows = arrays[0].shape[0]
    for start in range(0, rows, size or rows):
        yield [array[start : start + (size or rows)] for array in arrays]


# Data


def losses(experts):
    return np.random.default_rng(experts).random((ROUNDS, experts))


def examples():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(ROUNDS, FEATURES))
    return X, (X @ rng.normal(size=FEATURES) + 0.3 * rng.normal(size=ROUNDS) > 0).astype(int)


def bits():
    rng = np.random.default_rng(2)
    X = (rng.random((ROUNDS, FEATURES)) < 0.3).astype(float)
    return X, (X[:, 0] + X[:, 4] > 0).astype(int)


# Scenes


def expert_scene(make, experts, advice=False):
    def scene(place, size):
        policy = make()
        table = losses(experts)
        for part, truth in parts(size, table, np.round(table.mean(axis=1), 3)):
            if advice:
                policy.play(place(part), place(truth))
            else:
                policy.play(place(part))
        return state_of(policy)

    return scene


def label_scene(make, missing=False):
    def scene(place, size):
        policy = make()
        said = (losses(7) > 0.5).astype(float)
        truth = (losses(7)[:, 0] > 0.4).astype(float)
        if missing:
            said[losses(7) < 0.1] = np.nan
        for part, told in parts(size, said, truth):
            policy.play(place(part), place(told))
        return state_of(policy)

    return scene


def bandit_scene(make):
    def scene(place, size):
        policy = make()
        for (part,) in parts(size, losses(5)):
            policy.play(place(part))
        found = state_of(policy)
        chances = getattr(policy, "probabilities_", None)
        return found if chances is None else found + np.asarray(chances).tobytes()

    return scene


def contextual_scene(make, advice=False):
    def scene(place, size):
        policy = make()
        rng = np.random.default_rng(4)
        table = rng.random((ROUNDS, 5))
        seen = rng.integers(0, 5, (ROUNDS, 3)) if advice else rng.normal(size=(ROUNDS, FEATURES))
        for part, context in parts(size, table, seen):
            policy.play(place(part), place(context))
        return state_of(policy)

    return scene


def learner_scene(
    make, data=examples, form=np.asarray, classes=(0, 1), chunks=True, state=state_of
):
    def scene(place, size):
        model = make()
        X, y = data()
        for part, told in parts(size if chunks else 16, X, y):
            given = form(part)
            if sparse.issparse(given):
                given.data = place(given.data)
            else:
                given = place(given)
            if classes is None:
                model.partial_fit(given, place(told.astype(float)))
            else:
                model.partial_fit(given, place(told), classes=np.array(classes))
        return state(model)

    return scene


def single(array):
    return array.astype(np.float32)


def loop_scene(compute):
    def scene(place, size):
        return np.array(compute(place), dtype=np.float64).tobytes()

    return scene


LENGTHS = (1, 4, 7, 8, 9, 16, 23, 40)


def numbers(n, seed=0):
    return np.random.default_rng(100 * seed + n).normal(size=n)


def over_lengths(compute):
    return loop_scene(lambda place: [compute(place, n) for n in LENGTHS])


def weighed(place, n):
    totals, room = place(np.abs(numbers(n)) * 3), place(np.zeros(n))
    return [
        weights.weigh(totals, weights.least_of(totals), 0.7, room),
        *weights.moments(totals, room),
    ]


def neighbours(place, n):
    """Two halves of one room: what is written lies beside, or nearly beside, what is read."""
    gap = int(place.random.integers(0, 4))
    room = place(np.zeros(2 * n + gap))
    first, second = room[:n], room[n + gap :]
    if place.random.integers(0, 2):
        first, second = second[:n], first
    first[:] = np.abs(numbers(n)) * 3
    return weights.weigh(first, weights.least_of(first), 0.7, second[:n])


def paired(place):
    found = []
    for n in LENGTHS:
        X, T = place(numbers(n).reshape(1, n)), place(numbers(3 * n, 1).reshape(3, n) / 4)
        what = np.zeros((3, 4, 3))
        pair_sums(X, None, None, 0, T, None, None, 0, 3, np.ones(4, dtype=bool), what, 0)
        found += what[0].ravel().tolist()
    return found


def scored(place):
    found = []
    for n in LENGTHS:
        X, M = place(numbers(2 * n).reshape(2, n)), place(numbers(2 * n, 1).reshape(2, n))
        scores = np.zeros((2, 2))
        gaussian_scores(X, M, place(np.abs(M) + 0.1), np.zeros(2), scores)
        found += scores.ravel().tolist()
        bernoulli_scores(X, 0.1, M, np.zeros(2), scores)
        found += scores.ravel().tolist()
    return found


def sparse_sums(place, n):
    data, at = place(numbers(n)), place(np.arange(n, dtype=np.uint64)[::-1].copy())
    w = place(numbers(n, 1))
    return [
        sparse_dot(data, at, np.uint64(0), np.uint64(n), w),
        sparse_square(data, np.uint64(0), np.uint64(n)),
    ]


def elementary_values(place):
    """Many values of each function; a sum of them all would hide which."""
    rng = np.random.default_rng(3)
    found = []
    for x in [*rng.uniform(-30, 30, 300).tolist(), 1e-300, 700.5, -745.0, 0.99, 1.0]:
        y = abs(x) + 1e-9
        found += [elementary.exp(x), elementary.exponential(x), elementary.expm1(x)]
        found += [elementary.log(y), elementary.log1p(y), elementary.log_gamma(1 + y)]
        found.append(elementary.power(y, 0.37))
    return found


SCENES = {
    "weigh": over_lengths(weighed),
    "weigh beside": over_lengths(neighbours),
    "inner": over_lengths(lambda p, n: weights.inner(p(numbers(n)), p(numbers(n, 1)))),
    "dot": over_lengths(lambda p, n: dot(p(numbers(n)), p(numbers(n, 1)))),
    "dot 32": over_lengths(lambda p, n: dot(p(single(numbers(n))), p(single(numbers(n, 1))))),
    "affine": over_lengths(lambda p, n: affine(p(numbers(n)), p(numbers(n, 1)), np.ones(1))),
    "wide dot": over_lengths(lambda p, n: wide_dot(p(single(numbers(n))), p(numbers(n, 1)))),
    "wide square": over_lengths(lambda p, n: wide_square(p(single(numbers(n))))),
    "sparse": over_lengths(sparse_sums),
    "literals": over_lengths(
        lambda p, n: weight_of_true(p(numbers(n)), p(numbers(n, 1)), p(numbers(n, 2)))
    ),
    "impurity": over_lengths(lambda p, n: impurity(p(numbers(n)))),
    "kernel pairs": loop_scene(paired),
    "naive Bayes scores": loop_scene(scored),
    "elementary": loop_scene(elementary_values),
    "Hedge 4": expert_scene(lambda: assay.Hedge(learning_rate=0.05), 4),
    "Hedge 7": expert_scene(lambda: assay.Hedge(rounds=ROUNDS), 7),
    "Hedge anytime": expert_scene(lambda: assay.Hedge(sample=True, random_state=0), 8),
    "WeightedAverage 4": expert_scene(assay.WeightedAverage, 4, advice=True),
    "WeightedAverage entropic": expert_scene(
        lambda: assay.WeightedAverage(loss="entropic"), 7, advice=True
    ),
    "AdaHedge": expert_scene(assay.AdaHedge, 8),
    "AdaHedge mixtures": expert_scene(
        lambda: assay.AdaHedge(loss="square", mixtures=True), 7, advice=True
    ),
    "FixedShare": expert_scene(lambda: assay.FixedShare(rounds=ROUNDS, switches=2), 7),
    "FixedShare entropic": expert_scene(
        lambda: assay.FixedShare(rounds=ROUNDS, loss="entropic"), 4, advice=True
    ),
    "WeightedMajority": label_scene(lambda: assay.WeightedMajority(beta=0.3)),
    "WeightedMajority drawn": label_scene(
        lambda: assay.WeightedMajority(randomized=True, random_state=0)
    ),
    "SleepingExperts": label_scene(lambda: assay.SleepingExperts(random_state=0), missing=True),
    "SleepingExperts square": label_scene(
        lambda: assay.SleepingExperts(loss="square"), missing=True
    ),
    "EXP3": bandit_scene(lambda: assay.EXP3(arms=5, rounds=ROUNDS, random_state=0)),
    "EXP3 anytime": bandit_scene(lambda: assay.EXP3(arms=5, random_state=0)),
    "EXP3IX": bandit_scene(lambda: assay.EXP3IX(arms=5, rounds=ROUNDS, random_state=0)),
    "UCB1": bandit_scene(lambda: assay.UCB1(arms=5, random_state=0)),
    "KLUCB": bandit_scene(lambda: assay.KLUCB(arms=5, random_state=0)),
    "ThompsonSampling": bandit_scene(lambda: assay.ThompsonSampling(arms=5, random_state=0)),
    **{
        make.__name__: contextual_scene(functools.partial(make, arms=5, random_state=0))
        for make in (assay.LinUCB, assay.LinearThompson, assay.EpsilonGreedy, assay.SquareCB)
    },
    "EXP4": contextual_scene(lambda: assay.EXP4(arms=5, random_state=0), advice=True),
    "Perceptron": learner_scene(assay.Perceptron),
    "Perceptron 32": learner_scene(assay.Perceptron, form=single),
    "Perceptron sparse": learner_scene(assay.Perceptron, form=sparse.csr_matrix),
    # It remembers the margin of its last call, which is another with other chunks.
    "MarginPerceptron": learner_scene(assay.MarginPerceptron, chunks=False),
    "MarginPerceptron weights": learner_scene(assay.MarginPerceptron, state=weights_of),
    "OnlineGradientDescent": learner_scene(
        lambda: assay.OnlineGradientDescent(loss="logistic", radius=3.0)
    ),
    "OnlineGradientDescent sparse": learner_scene(
        lambda: assay.OnlineGradientDescent(radius=3.0), form=sparse.csr_matrix
    ),
    "SGDClassifier": learner_scene(lambda: assay.SGDClassifier(loss="log_loss", average=True)),
    "SGDClassifier power": learner_scene(
        lambda: assay.SGDClassifier(learning_rate="invscaling", eta0=0.1, power_t=0.3),
        form=sparse.csr_matrix,
    ),
    "SGDRegressor": learner_scene(assay.SGDRegressor, classes=None),
    "Winnow": learner_scene(lambda: assay.Winnow(negations=True), data=bits),
    "Winnow sparse": learner_scene(assay.Winnow, data=bits, form=sparse.csr_matrix),
    "MonomialWinnow": learner_scene(assay.MonomialWinnow, data=bits),
    "OnlineDisjunction": learner_scene(assay.OnlineDisjunction, data=bits),
    "DisjunctionMajority": learner_scene(
        lambda: assay.DisjunctionMajority(literals=2, beta=0.7), data=bits
    ),
    "KTermDNF": learner_scene(assay.KTermDNF, data=bits),
    "KernelPerceptron": learner_scene(lambda: assay.KernelPerceptron(kernel="rbf")),
    "KernelPerceptron sparse": learner_scene(
        lambda: assay.KernelPerceptron(kernel="rbf"), form=sparse.csr_matrix
    ),
    "BernoulliNB": learner_scene(assay.BernoulliNB),
    # Means over chunks are those of the whole up to rounding, so the chunks stay the same.
    "GaussianNB": learner_scene(assay.GaussianNB, chunks=False),
}
# Learners of chunks that make no such promise, since matrix products decide; and those that need their concepts.
WITHOUT = {"mlp-classifier", "consistent", "halving"}


def scenes_of_the_others():
    """The online learners that need nothing special, and so are not named above."""
    named = {name.split()[0] for name in SCENES}
    for learner in (find_learner(name) for name in learner_names() if name not in WITHOUT):
        if hasattr(learner, "partial_fit") and learner.__name__ not in named:
            yield learner.__name__, learner_scene(learner)


SCENES |= scenes_of_the_others()

# For the default suite: one of each kind, so that another processor's code is soon compiled.
COMPACT = (
    "weigh",
    "dot",
    "dot 32",
    "wide dot",
    "wide square",
    "elementary",
    "Hedge 7",
    "WeightedAverage 4",
    "AdaHedge",
    "Perceptron",
    "SGDClassifier",
)


def digest_of(name: str, place: Place, size: int | None) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return hashlib.sha256(SCENES[name](place, size)).hexdigest()


if __name__ == "__main__":
    asked = sys.argv[1:] or list(SCENES)
    print(json.dumps({name: digest_of(name, Place(0), None) for name in asked}))
