"""Which options go together; every option of the command is either for a game or refused by it."""

import inspect
from types import SimpleNamespace

import pytest

from assay.cli.stream import game_asked_for, stream_command
from assay.errors import BadParameter

PLAIN = {
    name: getattr(option.default, "default", None)
    for name, option in inspect.signature(stream_command).parameters.items()
} | {"data": ["x.csv"]}


def game(**given):
    return game_asked_for(SimpleNamespace(**PLAIN | given))


def test_plain_options_ask_for_no_policy():
    assert game() == "learner"
    assert game(experts=True) == "experts"
    assert game(bandit=True) == "bandit"


@pytest.mark.parametrize(
    ("name", "option"),
    [("policy", "--policy"), ("bounds", "--range"), ("loss_column", "--loss-column")],
)
def test_options_of_policies_need_a_game(name, option):
    with pytest.raises(BadParameter, match=f"^{option} goes with --experts or --bandit\\.$"):
        game(**{name: "given"})


@pytest.mark.parametrize("kind", ["experts", "bandit"])
@pytest.mark.parametrize(
    "name", ["learner", "category", "encoder", "unknown", "certificate", "standardize"]
)
def test_options_of_learners_are_refused(kind, name):
    with pytest.raises(BadParameter, match=f"^--{name} does not go with --{kind}\\.$"):
        game(**{kind: True, name: "given"})


def test_one_game_at_a_time():
    with pytest.raises(BadParameter, match=r"^--experts and --bandit cannot be played at once\.$"):
        game(experts=True, bandit=True)
