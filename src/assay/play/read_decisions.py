"""Logs of decisions from files of the tools that write them, or from any table whose columns are named."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from assay.data.decisions.features import MOST_COLUMNS, Columns
from assay.data.decisions.registry import read_rounds
from assay.data.decisions.rounds import DECLARE_RANGE
from assay.data.examples import Examples
from assay.errors import BadData, BadParameter, require
from assay.record.decisions import DecisionLog
from assay.types import Array, Floats

_BOUNDS = (0.0, 1.0)


def read_decisions(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    range: tuple[float, float] | None = None,
    hashed: int | None = None,
    like: DecisionLog | None = None,
    arm: str | None = None,
    loss: str | None = None,
    reward: str | None = None,
    propensity: str | None = None,
    contexts: Sequence[str] = (),
) -> DecisionLog:
    r"""Read a log of decisions: Vowpal Wabbit's text, DSJSON, Personalizer's logs, Open Bandit's CSV, or a table.

    Of logs with features that have names, each name becomes a column in the order in which names are met; text becomes
    a column that is 1 where it stands. Files may be compressed.

    Parameters
    ----------
    path : str or path
        The file.
    format : {"vw", "vw-adf", "dsjson", "open-bandit"}, optional
        What it is; found by how it begins if not given.
    range : (float, float), optional
        Between which its costs or rewards lie, known from how the log was made: they are scaled into losses between 0
        and 1. When not given -1 to 0 for DSJSON, whose costs are rewards with the other sign, and 0 to 1 for all
        others.
    hashed : int, optional
        How many columns features become, each name in that which its digest says; for logs with more than 1,000
        different features. Equal names fall into equal columns in every file.
    like : DecisionLog, optional
        A log that was read before: columns are the same as there, and features that it did not have are left out.
    arm, loss, reward, propensity : str, optional
        For any other table (CSV, JSON lines, Parquet): the columns of the action, of its loss or reward, and of the
        probability with which it was chosen.
    contexts : sequence of str
        For such a table: the columns that tell of the round; text becomes a column for each category.

    Returns
    -------
    DecisionLog

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from assay import read_decisions
    >>> rounds = '''shared |user age:0.5
    ... |item sports
    ... 0:1.0:0.25 |item news
    ...
    ... shared |user age:0.25
    ... 0:0.0:0.75 |item sports
    ... |item news
    ... '''
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "rounds.txt")
    ...     _ = file.write_text(rounds)
    ...     log = read_decisions(file)
    >>> log.actions.tolist(), log.losses.tolist(), log.propensities.tolist(), log.contexts.tolist()
    ([1, 0], [1.0, 0.0], [0.25, 0.75], [[0.5], [0.25]])
    >>> log.feature_names, log.features[0].tolist()
    (('item^sports', 'item^news'), [[1.0, 0.0], [0.0, 1.0]])
    """
    bounds = _bounds(range)
    named = {"arm": arm, "propensity": propensity, "loss": loss, "reward": reward}
    if contexts or any(value is not None for value in named.values()):
        for name, given in (("format", format), ("hashed", hashed)):
            require(given is None, name, "left out where columns are named", given)
        return _from_table(Path(path), named, list(contexts), bounds or _BOUNDS, like)
    if hashed is not None:
        require(like is None, "hashed", "left out with like", hashed)
        require(
            1 <= hashed <= MOST_COLUMNS,
            "hashed",
            f"a whole number between 1 and {MOST_COLUMNS:,}",
            hashed,
        )
    known = [None, None] if like is None else [like.context_names, like.feature_names]
    columns = [
        Columns(what, names, hashed)
        for what, names in zip(("contexts", "actions"), known, strict=True)
    ]
    if like is not None and like.hashed:
        # Places of hashed columns follow from names alone.
        columns = [Columns(c, None, like.hashed) for c in ("contexts", "actions")]
    rounds = read_rounds(Path(path), format, bounds, *columns)
    features = rounds.feature_tables()
    left = sorted(columns[0].left_out | columns[1].left_out)
    if left:
        rounds.notes.append(f"{len(left):,} features were not in the other log and were left out.")
    return DecisionLog(
        losses=rounds.losses(),
        propensities=rounds.propensities(),
        actions=rounds.actions(),
        contexts=rounds.context_table(),
        features=features,
        probabilities=rounds.probabilities(),
        arms=max(rounds.most_actions(), 0 if like is None else like.arms),
        context_names=columns[0].names,
        feature_names=columns[1].names if features is not None else (),
        arm_names=rounds.arm_names,
        notes=tuple(rounds.notes),
        hashed=hashed if like is None else like.hashed,
        bounds=rounds.bounds,
        rewards=rounds.rewards,
        format=rounds.format,
    )


def _bounds(range: Any) -> tuple[float, float] | None:
    if range is None:
        return None
    try:
        low, high = map(float, range)
    except (TypeError, ValueError):
        low = high = float("nan")
    require(-1e15 <= low < high <= 1e15, "range", "two numbers, the smaller first", range)
    return low, high


def _from_table(
    path: Path,
    named: dict[str, str | None],
    contexts: list[str],
    bounds: tuple[float, float],
    like: DecisionLog | None,
) -> DecisionLog:
    """From a table whose columns are named."""
    from assay.files import read_table

    arm, propensity = named["arm"], named["propensity"]
    outcome = named["loss"] if named["reward"] is None else named["reward"]
    if arm is None or propensity is None or outcome is None:
        raise BadParameter(
            "Name three columns of a table: arm, loss (or reward) and propensity; of a log of a tool name none."
        )
    if named["loss"] is not None and named["reward"] is not None:
        raise BadParameter("Name one column, as loss or as reward.")
    encoder: Any = {} if like is None or like.encoder is None else {"encoder": like.encoder}
    if not encoder:
        encoder["columns"] = [outcome, propensity, *contexts]
    table: Examples = read_table(path, target=arm, numbers=[outcome, propensity], **encoder)
    assert table.y is not None
    names = list(table.features)
    at = {name: names.index(name) for name in (outcome, propensity)}
    low, high = bounds
    outcomes, chances = table.X[:, at[outcome]], table.X[:, at[propensity]]
    _require_within(
        path, outcome, outcomes, (outcomes >= low) & (outcomes <= high), f"{low:g} to {high:g}"
    )
    fits = (chances > 0.0) & (chances <= 1.0)
    _require_within(path, propensity, chances, fits, "above 0 to 1", remedy=None)
    scaled = (outcomes - low) / (high - low)
    arms, places = _arms(np.asarray(table.y), like)
    rest = [place for place, name in enumerate(names) if place not in at.values()]
    seen: Floats | None = np.ascontiguousarray(table.X[:, rest]) if rest else None
    return DecisionLog(
        losses=np.clip(1.0 - scaled if named["reward"] is not None else scaled, 0.0, 1.0),
        propensities=np.array(chances),
        actions=places,
        contexts=seen,
        arms=len(arms),
        context_names=tuple(str(names[place]) for place in rest),
        arm_names=tuple(map(str, arms)),
        bounds=bounds,
        rewards=named["reward"] is not None,
        format="a table",
        encoder=table.encoder,
    )


def _require_within(
    path: Path, name: str, column: Floats, fits: Any, must: str, remedy: Any = DECLARE_RANGE
) -> None:
    bad = np.flatnonzero(~fits)
    if bad.size:
        row, value = int(bad[0]), float(column[bad[0]])
        raise BadData(
            f"{path} holds {value:g} in column {name!r}, row {row + 1}, outside the range {must}.",
            remedy=remedy,
        )


def _arms(labels: Array, like: DecisionLog | None) -> tuple[list[Any], Array]:
    """The names of the arms, in order, and the place of each row's; of a log like another, the arms are the other's."""
    if like is None:
        known, places = np.unique(labels, return_inverse=True)
        return known.tolist(), places.astype(np.int64)
    place_of = {name: place for place, name in enumerate(like.arm_names)}
    odd = next((label for label in labels.tolist() if str(label) not in place_of), None)
    if odd is not None:
        raise BadData(f"The log names the arm {str(odd)!r}, which the other log does not have.")
    placed = np.array([place_of[str(label)] for label in labels.tolist()], dtype=np.int64)
    return list(like.arm_names), placed
