"""``assay learners``: which learners there are, what each is for, and its parameters."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import typer

from assay.cli.output import JsonFlag, print_json

if TYPE_CHECKING:
    from assay.learners.describe import LearnerCard

_WIDTH = 80


def learners_command(
    name: str | None = typer.Argument(None, help="Show one learner and its parameters."),
    as_json: bool = JsonFlag,
) -> None:
    """List the learners: what each is for, promises and can do.

    Example: assay learners random-forest-classifier
    """
    from assay.learners.describe import describe_learner
    from assay.learners.registry import learner_names

    if name is not None:
        card = describe_learner(name)
        if as_json:
            print_json(card.to_json())
        else:
            typer.echo("\n".join(_card(card)))
        return
    cards = [describe_learner(one) for one in learner_names()]
    if as_json:
        print_json({"learners": [card.to_json() for card in cards]})
        return
    typer.echo("\n".join(_list(cards)))


def _list(cards: list[LearnerCard]) -> list[str]:
    from assay.learners.describe import PREDICTS

    width = max(len(card.name) for card in cards)
    lines = [
        "r: learns row by row.  s: takes sparse rows.  p: gives probabilities.",
        "Below what a learner is for stands what its own theorems say of it.",
        "",
    ]
    for predicts, heading in PREDICTS.items():
        lines.append(heading)
        for card in cards:
            if card.predicts == predicts:
                first, *rest = _folded(card.use, width + 8)
                rest += _folded(card.promise, width + 8)
                lines.append(f"  {card.name:<{width}} {_letters(card)}  {first}")
                lines += [" " * (width + 8) + line for line in rest]
        lines.append("")
    lines.append("assay fit certifies every one by rows it has not seen, whatever its theorems.")
    lines.append("The parameters of one: assay learners NAME")
    return lines


def _letters(card: LearnerCard) -> str:
    marks = {"r": card.streams, "s": card.sparse, "p": card.probabilities}
    return "".join(letter if able else "-" for letter, able in marks.items())


def _card(card: LearnerCard) -> list[str]:
    facts = {
        "for": card.use,
        "predicts": card.predicts + (", with probabilities" if card.probabilities else ""),
        "learns": "row by row, or from a table" if card.streams else "from a whole table",
        "rows": "dense or sparse" if card.sparse else "dense",
        "theory": card.promise,
        "in Python": card.python,
    }
    lines = [card.name]
    for title, text in facts.items():
        first, *rest = _folded(text, 13)
        lines += [f"  {title:<10} {first}", *(" " * 13 + line for line in rest)]
    if not card.parameters:
        return [*lines, "", "It has no parameters."]
    lines += ["", "Parameters, as --param name=value, and what they are if not given:"]
    for one in card.parameters:
        lines.append(f"  {one.name}={one.default}")
        lines += [" " * 6 + line for line in _folded(one.meaning, 6) if line]
    return lines


def _folded(text: str, margin: int) -> list[str]:
    return textwrap.wrap(text, _WIDTH - margin) or [""]
