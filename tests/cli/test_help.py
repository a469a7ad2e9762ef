import pytest
from typer import Context
from typer.core import TyperGroup, TyperOption
from typer.main import get_command

from assay.cli.app import app
from assay.cli.help import OPTIONS, heading
from tests.cli.runner import run

COMMANDS = {
    (name, *inner): one
    for name, command in get_command(app).commands.items()
    for inner, one in (
        [((), command)]
        if not isinstance(command, TyperGroup)
        else [((word,), part) for word, part in command.commands.items()]
    )
}


def test_no_summary_is_cut():
    text = run("--help").out
    assert "..." not in text.replace("[ARGS]...", "")
    whole = " ".join(text.split())
    for command in get_command(app).commands.values():
        assert command.help.split("\n\n")[0].strip() in whole


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_every_option_stands_in_a_group_and_every_line_on_a_screen(words):
    command, text = COMMANDS[words], run(*words, "--help").out
    assert max(map(len, text.splitlines())) <= 80
    assert "Other options" not in text
    for option in command.get_params(Context(command)):
        if isinstance(option, TyperOption):
            name = max(option.opts, key=len).removeprefix("--")
            assert f"\n{heading(words, name)}:\n" in text
            assert f"  --{name}" in text


def test_no_option_has_two_groups():
    names = [name for group in OPTIONS.values() for name in group.split()]
    assert len(names) == len(set(names))
