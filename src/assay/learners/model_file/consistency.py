"""What must fit together in a learner from a model file, when each attribute is of the right kind.

A learner or a part that knows more about itself says so in `_require_state`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin

from assay.learners.model_file.kinds import LARGEST


def require_hindsight(kept: Any) -> None:
    """Refuse examples that do not fit their labels or what was found of them."""
    blocks, ones, signs = (getattr(kept, name) for name in ("_blocks", "_ones", "_signs"))
    if not len(blocks) == len(ones) == len(signs) <= 1:
        raise ValueError("the examples that were kept are in pieces")
    X, constants, y = kept.examples()
    if not len(X) == len(constants) == len(y) == kept.kept <= kept.count or (np.abs(y) != 1).any():
        raise ValueError("the examples that were kept do not fit their labels")
    for found in (kept._best, kept._widest):
        comparator = found[-1] if len(found) == 2 else found[2]
        if found[0] > kept.count or (
            comparator is not None
            and found[0] == kept.count == kept.kept
            and len(comparator.vector) != X.width + 1
        ):
            raise ValueError("what was found of the kept examples does not fit them")


def require_player(player: Any, begin: Callable[[], Any]) -> None:
    """Refuse a player whose parts are each in order but do not belong together.

    Parameters
    ----------
    player : Player
    begin : callable
        Makes another fresh player, to ask it for the columns of its log.
    """
    kept, width = player.hindsight, player.width
    fixed = getattr(kept, "fixed", None)
    steps, log = getattr(player, "_steps", None), player._log
    support, signs = getattr(player, "support", None), getattr(player, "signs", None)
    fits = [
        kept.examples()[0].width <= width,
        fixed is None or len(fixed.vector) <= width + 1,
        steps is None or len(steps) == len(log) <= player.updates,
        player.mistakes <= player.rounds,
        not hasattr(player, "lag") or _averages(player),
        not hasattr(player, "alive") or player.alive.any(),
        steps is None or bool((np.abs(player.numbers) <= LARGEST).all()),
        (support is None) == (signs is None),
        support is not None or getattr(player, "held", 0) == 0,
    ]
    if not all(fits):
        raise ValueError("the parts of a player do not belong together")
    if support is not None:
        player.store()  # refuses examples of another size
    sample = getattr(player, "sample", None)
    if sample is not None and 64 * sample.shape[1] < width:
        raise ValueError("the sample of a player has other features")
    if log:
        columns = {"round", *begin()._marks()} | (set() if steps is None else {"loss"})
        if log[0].keys() != columns:
            raise ValueError("the log of a player has other columns")


def _averages(player: Any) -> bool:
    """Whether what is averaged, and how often, is what the rule says.

    The numbers have the layout of `assay.compiled.linear.sgd`, whose loop writes into the sum of the weights as soon
    as the sum of the scales is above zero.
    """
    rounds, averaged, _ = player.counts.tolist()
    scale, total, bias, _ = player.numbers.tolist()
    room = len(player.lag)
    if not (0 < scale <= 1 and total >= 0 and averaged <= rounds):
        return False
    if not averaged and not total == bias == 0:
        return False
    return bool(room == player.width if player.rule.average else room == averaged == 0)


def require_all_or_none(model: Any, names: tuple[str, ...]) -> bool:
    """Whether a model from a file has learned; refuses one of which parts are missing."""
    missing = [name for name in names if name not in vars(model)]
    if 0 < len(missing) < len(names):
        raise ValueError(f"parts of what it has learned are missing: {', '.join(missing)}")
    return not missing


def require_model(model: Any) -> None:
    """Refuse a learner whose attributes are each in order but do not belong together."""
    if hasattr(model, "state_") or hasattr(model, "choice_"):
        _require_bandit(model)
    if getattr(model, "log_", []) and model.log_[0].keys() != model._marks().keys():
        raise ValueError("its log has other columns")
    if not hasattr(model, "players_"):
        return
    players = model.players_
    widths = {player.width for player in players}
    features = getattr(model, "n_features_in_", 0)
    named = [
        len(getattr(model, name))
        for name in ("feature_names_in_", "feature_index_")
        if hasattr(model, name)
    ]
    if hasattr(model, "scale_"):
        named.append(len(model.scale_.mean))
    if widths != {features} or any(size != features for size in named):
        raise ValueError("its players have other features")
    problems = 1
    if isinstance(model, ClassifierMixin):
        classes = len(model.classes_)
        problems = 1 if classes == 2 else classes
    if len(players) != problems:
        raise ValueError(f"it has {len(players)} players for {problems} problems")
    if not hasattr(model, "partial_fit"):
        errors = model.errors_  # of a learner from whole samples, one for each problem or concept
        if (errors > model.rows_).any() or ("errors_" in vars(model) and len(errors) != problems):
            raise ValueError("its errors do not fit its examples")


def _require_bandit(model: Any) -> None:
    """Refuse a memory that does not fit its arms; it has the layout of `assay.compiled.bandits.bandit_book`."""
    state, (arm, probability) = model.state_, model.choice_
    if len(state) < 6 or not 1 <= model._arms < len(state):
        raise ValueError("its memory does not fit its arms")
    arms = model._arms
    if state.shape != model._memory(arms).shape:
        raise ValueError("its memory does not fit its arms")
    tally, book, own = model._tally, model._book, model._numbers
    chosen, rounds, known = tally[:3].tolist()
    plays, counts = tally[3 : 3 + arms], tally[3 + arms :].reshape(-1, arms)
    columns = [sum(map(len, column)) for column in getattr(model, "trace_", [])]
    fits = [
        arm == chosen < arms,
        0 < probability <= 1,
        probability == book[0],
        bool((tally >= 0).all()),
        known <= rounds < 2**53,
        sum(plays.tolist()) == rounds,
        bool((counts <= plays).all()),
        # Sums of losses between 0 and 1; own numbers are sums, weights and rates.
        bool(((book >= 0) & (book <= 1e150)).all()),
        bool((book[1:3] <= rounds * (1 + 1e-9)).all()),
        bool((book[3 : 3 + arms] <= plays * (1 + 1e-9)).all()),
        len(set(columns)) <= 1,
    ]
    if not all(fits) or not _is_tree(own[5 + 2 * arms :], arms):
        raise ValueError("its memory is none that it could have come to")


def _is_tree(tree: Any, arms: int) -> bool:
    """Whether the weights of EXP3, with their sums, lead to an arm whatever is drawn."""
    leaves = len(tree) // 2
    return not leaves or (
        tree[1] > 0
        and not tree[leaves + arms :].any()
        and bool((tree[1:leaves] == tree[2 : 2 * leaves : 2] + tree[3 : 2 * leaves : 2]).all())
    )
