"""Games for linear online learners: every setting drawn by itself, and learners with a fault."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from assay import MarginPerceptron, OnlineGradientDescent, Winnow
from assay.compiled.linear import gradient_descent as ogd
from assay.compiled.linear import margin_perceptron as margins

CLASSES = [-1, 1]


@dataclass
class Game:
    """Examples and how they are played; `kind` says who decides about labels and order.

    "contrary": every label is the one that was not predicted; "hunted": the next example is always the one
    that the learner gets most wrong. In all other kinds both are there beforehand.
    """

    kind: str
    X: np.ndarray
    y: np.ndarray
    form: str
    dtype: type
    passes: int
    intercept: bool

    @property
    def rounds(self):
        return self.passes * len(self.y)

    @property
    def signed(self):
        """The rows y x as they are played, the constant feature last."""
        X = self.X.astype(self.dtype).astype(float)
        return self.y[:, None] * np.column_stack([X, np.full(len(X), float(self.intercept))])

    @property
    def radius(self):
        return float(np.linalg.norm(self.signed, axis=1).max()) * (1 + 1e-9)


LINEAR = ("separable", "noisy", "orthogonal", "shifting", "contrary", "hunted")
BOOLEAN = ("disjunction", "noisy", "contrary", "hunted")


def linear_game(seed, passes=(1, 2, 8)):
    """Real examples; kind, size, form, precision, passes and constant feature all by themselves."""
    rng = np.random.default_rng(seed)
    kind, d = str(rng.choice(LINEAR)), int(rng.integers(1, 9))
    rows = {"orthogonal": d, "shifting": int(rng.integers(40, 101))}.get(kind, rng.integers(2, 31))
    X, v = rng.normal(size=(rows, d)), rng.normal(size=d + 1)
    if kind == "orthogonal":
        X = np.linalg.qr(rng.normal(size=(d, d)))[0]
    else:
        X[rng.random(X.shape) < rng.choice([0.0, 0.5])] = 0.0
        X[~X.any(axis=1), 0] = 1.0
    if kind == "shifting":  # nearly the same example again and again
        X = rng.uniform(0.8, 1.0, size=(rows, 1)) * v[:-1]
    scores = X @ v[:-1] + v[-1] * rng.integers(2)
    y = np.where(scores >= 0, 1, -1)
    if kind == "noisy":
        y = np.where(rng.random(rows) < rng.choice([0.05, 0.2, 0.5]), -y, y)
    elif kind == "orthogonal":
        y = rng.choice([np.ones(d, dtype=int), -np.ones(d, dtype=int), rng.choice([-1, 1], d)])
    elif kind == "shifting":
        y[rows // 4 :] *= -1
    return Game(
        kind, X * rng.choice([0.1, 1.0, 20.0]), y, *_played(rng, passes), bool(rng.integers(2))
    )


def boolean_game(seed):
    """Boolean examples, and whether literals may be negated; nothing depends on anything else."""
    rng = np.random.default_rng(seed)
    kind, d, negations = str(rng.choice(BOOLEAN)), int(rng.integers(2, 11)), bool(rng.integers(2))
    X = (rng.random((int(rng.integers(2, 41)), d)) < rng.uniform(0.05, 0.6)).astype(float)
    both = np.column_stack([X, 1 - X]) if negations else X
    relevant = rng.choice(both.shape[1], min(int(rng.integers(0, 4)), d), replace=False)
    y = np.where(both[:, relevant].any(axis=1), 1, -1)
    if kind == "noisy":
        y = np.where(rng.random(len(y)) < rng.choice([0.05, 0.3]), -y, y)
    return Game(kind, X, y, *_played(rng, (1, 2, 12)), False), negations


def _played(rng, passes):
    form = str(rng.choice(["dense", "csr", "one by one"]))
    return form, rng.choice([np.float64, np.float32]), int(rng.choice(passes))


def play(model, game):
    """Play a game to its end."""
    passes = game.passes
    X = game.X.astype(game.dtype)
    if game.kind == "contrary":
        for t, x in enumerate(X):
            game.y[t] = -(model.predict_one(x) or 1)
            model.learn_one(x, game.y[t], classes=CLASSES)
        passes -= 1
    elif game.kind == "hunted":
        place = 0
        for _ in range(len(X)):
            model.learn_one(X[place], game.y[place], classes=CLASSES)
            place = int(np.argmin(game.y * (X @ model.coef_[0] + model.intercept_[0])))
        passes -= 1
    for _ in range(passes):
        if game.form == "one by one":
            for x, label in zip(X, game.y, strict=True):
                model.learn_one(x, label, classes=CLASSES)
        else:
            form = np.asarray if game.form == "dense" else sparse.csr_matrix
            model.partial_fit(form(X), game.y, classes=CLASSES)
    return model


# Faults


def broken(model, fault):
    """The learner with a fault in its rule: after every update, its weights are changed once more.

    `fault(before, after, signed, update)` gives the weights, the constant feature's last, where `signed` is
    the example times its label and `update` the number of the update.
    """
    sound = model.learn_one

    def partial_fit(X, y, classes=None):
        X = X.toarray() if sparse.issparse(X) else X
        for x, label in zip(X, y, strict=True):
            fresh = not hasattr(model, "players_")
            before, updates = (None, 0) if fresh else (_weights(model), model.players_[0].updates)
            sound(x, label, classes=classes)
            player = model.players_[0]
            if fault is insists:
                player.threshold = 0.2 + 2 * player.threshold if fresh else player.threshold
            elif player.updates > updates:
                after = _weights(model)
                if before is None:
                    before = np.full_like(after, float(isinstance(model, Winnow)))
                signed = float(label) * np.append(x, player.constant)
                if isinstance(model, OnlineGradientDescent):
                    signed = signed * player.numbers[ogd.RATE]  # the step, before any projection
                _set(model, fault(before, after, signed, player.updates))
        return model

    model.partial_fit = partial_fit
    model.learn_one = lambda x, label, classes: partial_fit(x[None], [label], classes)
    return model


def _weights(model):
    player = model.players_[0]
    if isinstance(model, Winnow):
        return np.append(player.weights, player.negated)
    return np.append(player.coef, player.intercept).astype(float)


def _set(model, vector):
    player = model.players_[0]
    if isinstance(model, Winnow):
        player.weights[:], player.negated[:] = np.split(vector, [player.width])
        return
    player.weights[:], player.bias[:] = vector[:-1], vector[-1:]
    if isinstance(model, MarginPerceptron):
        player.state[margins.NORM] = vector @ vector
    elif isinstance(model, OnlineGradientDescent):
        player.numbers[ogd.SCALE], player.numbers[ogd.NORM] = 1.0, vector @ vector


def skips(before, after, signed, update):
    """Only every fifth update is made."""
    return before if update % 5 else after


def turns(before, after, signed, update):
    """Every update goes the wrong way."""
    return before - (after - before)


def forgets(before, after, signed, update):
    """Half of what was learned is lost with every update."""
    return after / 2


def restarts(before, after, signed, update):
    """Only the last example counts."""
    return signed / np.linalg.norm(signed)


def grows(before, after, signed, update):
    """Every update is larger than the one before."""
    return before + (after - before) * 1.5 ** min(update, 200)


def overshoots(before, after, signed, update):
    """Every step is four times too long."""
    return np.clip(before + 4 * (after - before), -1e6, 1e6)


def roams(before, after, signed, update):
    """A step is not pulled back into the ball."""
    return before + signed


def insists(before, after, signed, update):
    """A margin perceptron moves also where the margin is wider than the rule asks for."""


def never_demotes(before, after, signed, update):
    """Winnow without halving."""
    return np.maximum(before, after)


def promotes_by_little(before, after, signed, update):
    """Winnow with the factor 1.05 in place of 2."""
    return np.where(after > before, before * 1.05, after)


def demotes_by_little(before, after, signed, update):
    """Winnow with the factor 0.95 in place of 1/2."""
    return np.where(after < before, before * 0.95, after)
