import re

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from assay import AdaHedge, FixedShare, Hedge, Perceptron, WeightedAverage, WeightedMajority
from assay.errors import BadData, BadParameter

RNG = np.random.default_rng(0)
X = RNG.random((60, 3))
Y = (X[:, 0] > 0.5).astype(int)


class Riverlike:
    """As River's models are: examples are dicts."""

    def __init__(self, place):
        self.place = place

    def predict_one(self, x):
        return int(x[self.place] > 0.5)


def test_models_of_several_libraries_functions_and_columns():
    tree = DecisionTreeClassifier(max_depth=1).fit(X[:20], Y[:20])
    experts = {
        "tree": tree,
        "perceptron": Perceptron().fit(X[:20], Y[:20]),
        "river": Riverlike(1),
        "rule": lambda x: int(x[2] > 0.5),
    }
    policy = WeightedMajority.from_models(experts, beta=0.5)
    advice = policy.advice(X)
    assert advice[:, 0].tolist() == tree.predict(X).tolist()
    assert advice[:, 2].tolist() == (X[:, 1] > 0.5).astype(int).tolist()
    assert advice[:, 3].tolist() == (X[:, 2] > 0.5).astype(int).tolist()
    guesses = policy.play(X, Y)
    assert policy.record_.names == tuple(experts)
    assert policy.guarantees()[0].holds
    assert policy.n_experts == 4
    single, found = WeightedMajority.from_models(experts, beta=0.5), []
    for x, y in zip(X, Y, strict=True):
        found.append(single.predict(x))
        single.update(x, y)
    assert found == guesses.tolist()
    assert single.record_.mistakes == policy.record_.mistakes


def test_rivers_own_models():
    linear = pytest.importorskip("river.linear_model")
    model = linear.LogisticRegression()
    rows = [dict(enumerate(row)) for row in X.tolist()]
    for row, y in zip(rows, Y, strict=True):
        model.learn_one(row, bool(y))
    policy = WeightedMajority.from_models([model, lambda x: x[0] > 0.5], classes=(False, True))
    policy.play(rows, Y.astype(bool))
    assert policy.record_.expert_losses[1] == 0
    assert policy.record_.names == ("0: LogisticRegression", "1: <lambda>")


def test_columns_of_a_frame():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    policy = WeightedAverage.from_models(["a", "c"])
    guesses = policy.play(frame, X[:, 0])
    assert guesses[0] == pytest.approx((X[0, 0] + X[0, 2]) / 2)
    assert policy.record_.names == ("a", "c")
    with pytest.raises(BadData, match=r"^The examples have no column 'd'\.$"):
        WeightedAverage.from_models(["d"]).play(frame, X[:, 0])


def test_regressors_and_rows_of_dicts():
    target = X @ [1.0, 2.0, 3.0]
    models = [LinearRegression().fit(X[:30, :1], target[:30]) for _ in range(1)]
    policy = AdaHedge.from_models([*models, lambda x: 6 * x[0]], loss="square")
    policy.play(X[:, :1], target)
    assert policy.record_.rounds == 60
    dicts = [{"a": row[0], "b": row[1]} for row in X]
    by_name = WeightedAverage.from_models(["a", "b", lambda x: x["a"] / 2])
    by_name.play(dicts, X[:, 1])
    assert by_name.record_.best == 1


def test_refusals():
    with pytest.raises(
        BadParameter, match=r"^models must hold at least one expert, but is empty\.$"
    ):
        WeightedMajority.from_models([])
    sentence = (
        "An expert must be a fitted model with predict or predict_one, a function or a column, but is "
        "3.5."
    )
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        WeightedMajority.from_models([3.5])
    with pytest.raises(
        BadData, match=r"^Every expert must give one prediction for each example\.$"
    ):
        WeightedAverage.from_models([lambda x: x]).play(X, Y)
    with pytest.raises(AttributeError, match="no attribute 'coef_'"):
        _ = WeightedMajority.from_models([0]).coef_


def test_examples_in_every_form_give_the_same_advice():
    pa = pytest.importorskip("pyarrow")
    pd = pytest.importorskip("pandas")
    pl = pytest.importorskip("polars")
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    experts = {
        "with names": LogisticRegression().fit(frame, Y),
        "river": Riverlike("a"),
        "column": "b",
        "place": 2,
    }
    plain = LogisticRegression().fit(X, Y)
    wanted = np.column_stack([plain.predict(X), X[:, 0] > 0.5, X[:, 1:]])
    columns = frame.to_dict("list")
    for examples in (frame, pl.DataFrame(columns), pa.table(columns)):
        assert WeightedAverage.from_models(experts).advice(examples).tolist() == wanted.tolist()
    records = frame.to_dict("records")
    del experts["place"]
    policy = WeightedAverage.from_models(experts | {"without": plain, "rule": lambda x: x["c"]})
    said = policy.advice(records)
    assert said.tolist() == np.column_stack([wanted[:, :3], wanted[:, 0], X[:, 2]]).tolist()
    shuffled = [dict(reversed(row.items())) for row in records]
    by_name = WeightedAverage.from_models(experts)
    assert by_name.advice(shuffled).tolist() == wanted[:, :3].tolist()
    for one in (frame.iloc[0], frame.iloc[:1], records[0]):
        assert by_name.predict(one) == pytest.approx(wanted[0, :3].mean())
    rule = WeightedAverage.from_models([lambda x: x[0]])
    assert rule.advice(pa.table(columns)).ravel().tolist() == X[:, 0].tolist()
    for examples in (frame, pl.DataFrame(columns), pa.table(columns), records, X):
        with pytest.raises(BadData, match=r"^The examples have no column 9\.$"):
            WeightedAverage.from_models([9]).advice(examples)
    for examples in (frame, pl.DataFrame(columns), pa.table(columns), records):
        with pytest.raises(BadData, match=r"^The examples have no column 'd'\.$"):
            WeightedAverage.from_models(["d"]).advice(examples)


def test_what_cannot_be_an_expert_is_refused_at_once():
    for make in (Hedge, AdaHedge, FixedShare):
        sentence = (
            f"{make.__name__} without a loss takes losses, which models do not give. Name a loss, as in "
            "AdaHedge.from_models(models, loss='square')."
        )
        with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
            make.from_models([0, 1])
    sentence = "An expert must be a fitted model, but LogisticRegression is a class. Give an instance, fitted."
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        WeightedMajority.from_models([LogisticRegression])
    sentence = "models must have different names, but two are called 'a'. Give a dict."
    with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
        WeightedAverage.from_models(["a", "a"])
    with pytest.raises(BadData, match=r"^One example is needed, but there are 60\.$"):
        WeightedAverage.from_models([0]).predict(X)
    with pytest.raises(
        BadData, match=r"^Examples must be a table with a row for each, but have sh"
    ):
        WeightedAverage.from_models([0]).play([0.5], [0.5])
