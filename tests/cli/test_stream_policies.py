"""Which options go together; every option of the command is either for a game or refused by it."""

import inspect

import pytest

from assay.cli.stream import stream_command
from assay.cli.stream_policies import asks_for_policies, stream_policies
from assay.errors import BadParameter

PLAIN = {
    name: getattr(option.default, "default", None)
    for name, option in inspect.signature(stream_command).parameters.items()
} | {"data": ["x.csv"]}


def test_plain_options_ask_for_no_policy():
    assert not asks_for_policies(PLAIN)
    assert asks_for_policies(PLAIN | {"experts": True})
    assert asks_for_policies(PLAIN | {"bandit": True})


@pytest.mark.parametrize(
    ("name", "option"),
    [("policy", "--policy"), ("bounds", "--range"), ("loss_column", "--loss-column")],
)
def test_options_of_policies_need_a_game(name, option):
    with pytest.raises(BadParameter, match=f"^{option} goes with --experts or --bandit\\.$"):
        asks_for_policies(PLAIN | {name: "given"})


@pytest.mark.parametrize("game", ["experts", "bandit"])
@pytest.mark.parametrize(
    "name", ["learner", "category", "encoder", "unknown", "certificate", "standardize"]
)
def test_options_of_learners_are_refused(game, name):
    with pytest.raises(BadParameter, match=f"^--{name} does not go with --{game}\\.$"):
        stream_policies(PLAIN | {game: True, name: "given"}, {})


def test_one_game_at_a_time():
    with pytest.raises(BadParameter, match=r"^--experts and --bandit cannot be played at once\.$"):
        stream_policies(PLAIN | {"experts": True, "bandit": True}, {})
