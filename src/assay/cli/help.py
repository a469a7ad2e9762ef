"""How help looks: whole summaries, and options in groups, the ones most asked for first."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from typer.core import TyperCommand, TyperGroup

#: What an option is for. One name means one thing in every command, so it has one group.
OPTIONS = {
    "What to predict": "target task time range known-after data truth prediction loss label positive judge judge-score "
    "second-opinion stratum wrong score metric model baseline baseline-model rival on unmatched unscored",
    "Which columns, and how they are read": "column drop keep category number format features encoder missing "
    "unknown standardize",
    "What learns": "learner learners param time-limit warm-start seed",
    "Which rows test it": "holdout holdout-file unit over most-rows order overlap independent population drawn models "
    "fixed-before by at-random judged-first",
    "Experts and bandits": "experts bandit policy context arm loss-column reward-column propensity least-propensity",
    "What is promised": "about error better-by precision recall specificity f1 gate errors rows delta rate two-sided "
    "method next-rows coverage within floor every-group max-error max-regression better ledger answer strict",
    "What you guess": "expected power only-old-rate only-new-rate discordance rivals flagged prevalence rates "
    "unit-rows correlation group",
    "Rows to learn from": "class-size bits vc agnostic",
    "The service": "store host port keys personalizer events known-as log-requests limit config certificate-key check "
    "head backup shrink name scope days",
    "Output": "kind all estimate onnx out certificate report model-file proba verbose json summary version help",
}
# A word that is something else in one command.
_ELSEWHERE = {
    ("certify", "errors"): "What to predict",
    ("certify", "rows"): "What to predict",
    ("certify", "holdout"): "What is promised",
    ("certify", "range"): "What is promised",
    ("plan", "judge"): "What you guess",
    ("fit", "range"): "What is promised",
    ("compare", "range"): "What is promised",
    ("predict", "keep"): "Output",
    ("stream", "loss"): "Experts and bandits",
    ("stream", "range"): "Experts and bandits",
    ("logged", "policy"): "What learns",
    ("logged", "method"): "What learns",
    ("logged", "range"): "Which columns, and how they are read",
    ("logged", "hashed"): "Which columns, and how they are read",
    ("keys", "rate"): "The service",
    ("keys", "learner"): "The service",
    ("export", "learner"): "The service",
    ("serve", "certificate"): "The service",
}
_HEADINGS = {
    "certify": {"What to predict": "What was seen"},
    "verify": {"What to predict": "What was seen", "Which rows test it": "What was seen"},
}
_GROUP_OF = {name: group for group, names in OPTIONS.items() for name in names.split()}
_REST = "Other options"
# A longer option has its text on the next line.
_WIDEST = 30

COMMANDS = {
    "Learn": "fit predict compare stream",
    "Promise": "certify verify plan logged",
    "Serve": "serve export keys",
    "Look around": "demo learners theorems",
}


class GroupedCommand(TyperCommand):
    """A command whose options stand in groups."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the words of a command line; ``--summary`` may stand without a file."""
        return list(super().parse_args(ctx, with_summary(args)))

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Arguments first, then the groups."""
        arguments, grouped = [], dict[str, list[tuple[str, str]]]()
        path = _path(ctx)
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is None:
                continue
            if parameter.param_type_name == "argument":
                arguments.append(record)
            else:
                name = max(parameter.opts, key=len).removeprefix("--")
                grouped.setdefault(heading(path, name), []).append(record)
        sections = {"Arguments": arguments} | {group: grouped[group] for group in _ordered(grouped)}
        # One column for all groups: what an option does begins at the same place everywhere.
        lengths = [len(first) for rows in sections.values() for first, _ in rows]
        width = min(max(lengths, default=0), _WIDEST)
        for title, rows in sections.items():
            if rows:
                with formatter.section(title):
                    formatter.write_dl([(first.ljust(width), text) for first, text in rows])


class GroupedHelp(TyperGroup):
    """The list of commands, each with its whole summary."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """The groups, or one list where no command has a group."""
        commands = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        width = max(map(len, commands))
        grouped = {
            title: [name for name in names.split() if name in commands]
            for title, names in COMMANDS.items()
        }
        placed = {name for names in grouped.values() for name in names}
        grouped["Commands"] = [name for name in commands if name not in placed]
        for title, names in grouped.items():
            rows = [(name.ljust(width), summary(commands[name])) for name in names]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


def with_summary(args: list[str]) -> list[str]:
    """The words with ``--summary -`` in place of a ``--summary`` that no file follows.

    Examples
    --------
    >>> with_summary(["a.csv", "--summary", "--json"])
    ['a.csv', '--summary', '-', '--json']
    >>> with_summary(["--summary", "a.md"])
    ['--summary', 'a.md']
    """
    end = args.index("--") if "--" in args else len(args)
    options, told = args[:end], list[str]()
    for word, following in zip(options, [*options[1:], "--"], strict=False):
        told.append(word)
        if word == "--summary" and following.startswith("-") and following != "-":
            told.append("-")
    return [*told, *args[end:]]


def summary(command: Any) -> str:
    """The first paragraph of what a command says of itself, on one line."""
    return " ".join((command.help or "").split("\n\n")[0].split())


def heading(command: Iterable[str], option: str) -> str:
    """Under which heading an option of a command stands.

    Examples
    --------
    >>> heading(["fit"], "target"), heading(["certify"], "truth"), heading(["fit"], "help")
    ('What to predict', 'What was seen', 'Output')
    """
    name = next(iter(command), "")
    group = _ELSEWHERE.get((name, option), _GROUP_OF.get(option, _REST))
    return _HEADINGS.get(name, {}).get(group, group)


def _ordered(grouped: Iterable[str]) -> list[str]:
    known = [*dict.fromkeys([*_HEADINGS["certify"].values(), *OPTIONS]), _REST]
    return sorted(grouped, key=known.index)


def _path(ctx: Any) -> list[str]:
    """The words of a command, that of the whole program not included."""
    return [] if ctx.parent is None else [*_path(ctx.parent), ctx.info_name]
