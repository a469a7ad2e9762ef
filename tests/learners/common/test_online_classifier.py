from __future__ import annotations

import copy
import pickle
import re

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from assay import MarginPerceptron, Perceptron, Winnow
from assay.errors import BadData, BadParameter, UnknownName
from tests.instances import disjunction

LEARNERS = {
    "perceptron": Perceptron(),
    "no intercept": Perceptron(fit_intercept=False, zero=-1),
    "mistake": Perceptron(zero="mistake"),
    "margin": MarginPerceptron(margin=0.2),
    "winnow": Winnow(),
    "literals": Winnow(negations=True),
}


@pytest.fixture(params=LEARNERS)
def learner(request):
    return clone(LEARNERS[request.param])


def data(rows=60, d=9, noise=0.1, classes=2, seed=0):
    """Boolean features, which every learner takes; some labels are wrong."""
    X, y, _ = disjunction(seed, rows, d)
    rng = np.random.default_rng(seed + 1)
    X[~X.any(axis=1), 0] = 1.0  # no row without length
    return X, np.where(rng.random(rows) < noise, rng.integers(0, classes, rows), y)


def state(model):
    return [
        {name: getattr(player, name).tobytes() for name in player.arrays}
        for player in model.players_
    ]


def in_order(learner):
    """A learner that plays rows as they stand in `fit` too."""
    shuffles = "shuffle" in learner.get_params()
    return clone(learner).set_params(shuffle=False) if shuffles else clone(learner)


def refuses(sentence, kind=BadData):
    return pytest.raises(kind, match=f"^{re.escape(sentence)}$")


# One way of learning


@pytest.mark.parametrize("classes", [2, 3])
def test_one_by_one_chunks_and_the_whole_give_the_same_bits(learner, classes):
    X, y = data(classes=classes, noise=0.3)
    whole = in_order(learner).set_params(max_iter=1).fit(X, y)
    for parts in (1, 3, 60):
        chunks = clone(learner)
        for part in np.array_split(np.arange(60), parts):
            chunks.partial_fit(X[part], y[part], classes=range(classes))
        assert state(chunks) == state(whole)
    single = clone(learner)
    for x, label in zip(X, y, strict=True):
        single.learn_one(x, int(label), classes=range(classes))
    assert state(single) == state(whole)
    for ours, theirs in zip(single.players_, whole.players_, strict=True):
        ours.passes = theirs.passes  # only a fit counts passes
        assert ours.record(trace=False) == theirs.record(trace=False)
    assert [str(g) for g in single.guarantees()] == [str(g) for g in whole.guarantees()]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_chunks_of_either_precision_and_sparse_ones(learner, dtype):
    X, y = data()
    forms = [np.asarray, np.asfortranarray, sparse.csr_matrix, sparse.csc_array, sparse.coo_array]
    reference = clone(learner).partial_fit(X.astype(dtype), y, classes=[0, 1])
    for form in forms:
        other = clone(learner)
        other.partial_fit(form(X[:25].astype(dtype)), y[:25], classes=[0, 1])
        other.partial_fit(form(X[25:].astype(dtype)), y[25:])
        # Sums of a few small whole numbers are exact; those of the margin perceptron are not.
        assert np.allclose(other.coef_, reference.coef_, rtol=0, atol=1e-12)
        assert other.record_.mistakes == reference.record_.mistakes
        assert np.array_equal(other.predict(form(X)), reference.predict(X))


def test_real_numbers_give_the_same_bits_too():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 7)), rng.integers(0, 2, 300)
    for learner in (Perceptron(), MarginPerceptron()):
        whole, single = clone(learner).partial_fit(X, y, classes=[0, 1]), clone(learner)
        for x, label in zip(X, y, strict=True):
            single.learn_one(x, label, classes=[0, 1])
        assert state(whole) == state(single)
        for form in (X.astype(np.float32), sparse.csr_matrix(X)):
            once = clone(learner).partial_fit(form, y, classes=[0, 1])
            thrice = clone(learner)
            for part in np.array_split(np.arange(300), 3):
                thrice.partial_fit(form[part], y[part], classes=[0, 1])
            assert state(once) == state(thrice)


def test_tracing_gives_the_same_bits(learner):
    X, y = data()
    plain = clone(learner).fit(X, y)
    traced = clone(learner).set_params(trace=True).fit(X, y)
    assert state(plain) == state(traced)
    record = traced.record_
    moves = record.updates + isinstance(learner, MarginPerceptron)
    assert all(len(column) == moves for column in record.trace.values())
    assert plain.record_.trace is None
    for x, label in zip(X, y, strict=True):
        traced.learn_one(x, label)
        plain.learn_one(x, label)
    assert state(plain) == state(traced)


def test_what_is_predicted_is_what_is_counted(learner):
    X, y = data(rows=120)
    learner.partial_fit(X[:1], y[:1], classes=[0, 1])
    before, wrong = learner.record_.mistakes, 0
    for x, label in zip(X[1:], y[1:], strict=True):
        wrong += learner.predict_one(x) != label
        learner.learn_one(x, label)
    counted = learner.record_.mistakes - before
    if getattr(learner, "zero", 1) == "mistake":
        assert wrong <= counted
    else:
        assert wrong == counted


def test_warm_start_goes_on_and_a_cold_start_forgets(learner):
    X, y = data()
    learner = in_order(learner).set_params(max_iter=1)
    twice = clone(learner).partial_fit(X, y, classes=[0, 1]).partial_fit(X, y)
    warm = clone(learner).set_params(warm_start=True).fit(X, y).fit(X, y)
    cold = clone(learner).fit(X, y).fit(X, y)
    assert state(warm) == state(twice)
    assert state(cold) == state(clone(learner).fit(X, y))
    assert warm.record_.rounds == 120
    assert cold.record_.rounds == 60


# Several classes


def test_one_against_the_rest_is_a_learner_for_each(learner):
    X, y = data(rows=90, classes=3)
    model = clone(learner).fit(X, y)
    assert len(model.record_) == 3
    for place in range(3):
        alone = clone(learner).fit(X, y == place)
        assert np.array_equal(model.coef_[place], alone.coef_[0])
        assert model.intercept_[place] == alone.intercept_[0]
        assert model.record_[place] == alone.record_
    scores = model.decision_function(X)
    assert scores.shape == (90, 3)
    assert np.array_equal(model.predict(X), scores.argmax(axis=1))
    assert [model.predict_one(x) for x in X] == model.predict(X).tolist()
    assert {g.of for g in model.guarantees()} >= {
        f"{'updates' if isinstance(learner, MarginPerceptron) else 'mistakes'} of {c} against the rest"
        for c in range(3)
    }


@pytest.mark.parametrize(
    "names", [["ham", "spam"], [False, True], [-1, 1], [2.0, 7.0], ["a", "b", "c"]]
)
def test_labels_come_back_as_they_were(learner, names):
    X, y = data(classes=len(names))
    for dtype in (None, object):
        labels = np.array(names, dtype=dtype)[y]
        model = clone(learner).fit(X, labels)
        assert model.classes_.tolist() == names
        assert set(model.predict(X)) <= set(names)
        answer = model.predict_one(X[0])
        assert type(answer) is type(names[0])
        assert answer == model.predict(X[:1])[0]


# Predicting


def test_predicting_changes_nothing(learner):
    X, y = data()
    learner.fit(pd.DataFrame(X, columns=[f"f{j}" for j in range(9)]), y)
    before = pickle.dumps(learner)
    frame = pd.DataFrame(X, columns=[f"f{j}" for j in range(9)])
    learner.predict(frame)
    learner.decision_function(frame)
    for x in X[:5]:
        learner.predict_one(x)
        learner.predict_one({f"f{j}": v for j, v in enumerate(x)})
        learner.predict_one({"unheard of": 1.0})
    assert pickle.dumps(learner) == before


def test_nothing_is_predicted_before_anything_is_learned(learner):
    assert learner.predict_one([1.0, 0.0]) is None
    assert learner.predict_one({"a": 1.0}) is None
    for ask in (learner.predict, learner.decision_function):
        with pytest.raises(NotFittedError):
            ask([[1.0, 0.0]])
    with pytest.raises(NotFittedError):
        learner.guarantees()


def test_copies_go_their_own_way(learner):
    X, y = data()
    learner.partial_fit(X[:30], y[:30], classes=[0, 1])
    again, deep = pickle.loads(pickle.dumps(learner)), copy.deepcopy(learner)
    for model in (learner, again, deep):
        model.partial_fit(X[30:], y[30:])
    assert state(learner) == state(again) == state(deep)
    assert learner.record_ == again.record_
    fresh = clone(learner)
    assert not hasattr(fresh, "players_")
    assert fresh.get_params() == learner.get_params()


# Features by name


def named(x, names="abcdefghi"):
    return dict(zip(names, x.tolist(), strict=True))


def test_dicts_and_vectors_give_the_same_bits(learner):
    X, y = data()
    vectors, dicts = clone(learner), clone(learner)
    for x, label in zip(X, y, strict=True):
        vectors.learn_one(x, label, classes=[0, 1])
        dicts.learn_one(named(x), label, classes=[0, 1])
    assert state(vectors) == state(dicts)
    assert dicts.feature_names_in_.tolist() == list("abcdefghi")
    assert dicts.n_features_in_ == 9
    for x in X:
        assert dicts.predict_one(named(x)) == vectors.predict_one(x)


def test_the_order_of_features_in_a_dict_makes_no_difference(learner):
    X, y = data()
    one, other = clone(learner), clone(learner)
    rng = np.random.default_rng(0)
    for x, label in zip(X, y, strict=True):
        example = named(x)
        shuffled = {name: example[name] for name in rng.permutation(list(example))}
        one.learn_one(example, label, classes=[0, 1])
        other.learn_one(shuffled, label, classes=[0, 1])
        assert one.predict_one(shuffled) == other.predict_one(example)
    assert state(one) == state(other)


def test_the_example_given_is_neither_changed_nor_kept(learner):
    X, y = data()
    for x, label in zip(X, y, strict=True):
        example = named(x)
        before = dict(example)
        learner.predict_one(example)
        learner.learn_one(example, label, classes=[0, 1])
        assert example == before
    vector = X[0].copy()
    other = copy.deepcopy(learner)
    learner.learn_one(vector, 1 - y[0])
    vector[...] = 5.0
    other.learn_one(X[0], 1 - y[0])
    assert [str(g) for g in learner.guarantees()] == [str(g) for g in other.guarantees()]


@pytest.mark.parametrize("learner", [Perceptron(), MarginPerceptron(margin=0.2)])
def test_features_that_appear_later_are_zero_before(learner):
    X, y = data()
    X[:20, 6:] = 0.0
    full, growing = clone(learner), clone(learner)
    for t, (x, label) in enumerate(zip(X, y, strict=True)):
        example = named(x)
        full.learn_one(example, label, classes=[0, 1])
        if t < 20:
            example = {name: example[name] for name in "abcdef"}
        growing.learn_one(example, label, classes=[0, 1])
    assert growing.n_features_in_ == 9
    assert np.allclose(full.coef_, growing.coef_, rtol=0, atol=1e-12)
    assert growing.record_.mistakes == full.record_.mistakes
    assert [str(g) for g in growing.guarantees()] == [str(g) for g in full.guarantees()]


def test_features_left_out_are_zero(learner):
    learner.learn_one({"a": 1.0, "b": 0.0, "c": 1.0}, True)
    learner.learn_one({"b": 1.0, "c": 1.0}, False)
    assert learner.predict_one({"b": 1.0}) == learner.predict_one({"a": 0.0, "b": 1.0, "c": 0.0})
    assert learner.predict_one({"b": 1.0, "z": 1.0}) == learner.predict_one({"b": 1.0})


def test_a_frame_gives_the_dicts_their_names(learner):
    X, y = data()
    names = [f"f{j}" for j in range(9)]
    learner.fit(pd.DataFrame(X, columns=names), y)
    assert [learner.predict_one(named(x, names)) for x in X] == [learner.predict_one(x) for x in X]
    learner.learn_one(named(X[0], names) | {"new": 1.0}, y[0])
    assert learner.n_features_in_ == 10
    assert learner.feature_names_in_.tolist() == [*names, "new"]
    assert learner.coef_.shape == (1, 10)


def test_features_known_by_number_are_not_mixed_with_names(learner):
    X, y = data()
    learner.fit(X, y)
    assert learner.predict_one(dict(enumerate(X[0]))) == learner.predict(X[:1])[0]
    with refuses(
        "x names a feature 'a', but this learner knows its features by their numbers, 0 to 8."
    ):
        learner.learn_one({"a": 1.0}, 1)


def test_a_new_fit_forgets_the_names(learner):
    X, y = data()
    learner.learn_one({"a": 1.0, "b": 0.0}, True)
    learner.fit(X, y)
    assert learner.n_features_in_ == 9
    assert not hasattr(learner, "feature_names_in_")
    assert learner.predict_one(dict(enumerate(X[0]))) == learner.predict(X[:1])[0]


def test_the_empty_dict_is_an_example_like_any_other():
    model = Perceptron()
    model.learn_one({}, False)
    assert model.intercept_.tolist() == [-1.0]
    assert model.predict_one({}) is False
    model.learn_one({"a": 2.0}, True)
    assert model.coef_.tolist() == [[2.0]]


# Refusals


LEARNED = "Everything before this row was learned."


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(("bad", "word"), [(np.nan, "NaN"), (np.inf, "infinity")])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix])
@pytest.mark.parametrize("trace", [False, True])
def test_a_bad_cell_is_named_and_what_came_before_is_kept(learner, classes, bad, word, form, trace):
    X, y = data(classes=classes)
    learner.set_params(trace=trace)
    before = clone(learner).partial_fit(X[:41], y[:41], classes=range(classes))
    X[41, 7] = bad
    sentence = f"Input X contains NaN or infinity: row 41, column 7 holds {word}."
    with refuses(f"{sentence} {LEARNED}"):
        learner.partial_fit(form(X), y, classes=range(classes))
    assert np.allclose(learner.coef_, before.coef_, rtol=0, atol=1e-12)
    rounds = [player.rounds for player in learner.players_]
    assert rounds == [41] * len(learner.players_)
    kept = state(learner)
    with refuses(sentence):
        learner.predict(form(X))
    for ask in (lambda x: learner.learn_one(x, 0), learner.predict_one):
        with refuses(f"x[7] must be a finite number, but is {float(bad)!r}."):
            ask(X[41])
    assert state(learner) == kept
    learner.partial_fit(X[42:], y[42:])


@pytest.mark.parametrize("bad", [np.nan, "text", None, 10**400])
def test_an_example_that_is_refused_leaves_no_feature_behind(learner, bad):
    with pytest.raises(BadData, match="'b'"):
        learner.learn_one({"a": 1.0, "b": bad}, True)
    assert not hasattr(learner, "players_")
    learner.learn_one({"a": 1.0, "c": 0.0}, True)
    kept = state(learner)
    with pytest.raises(BadData, match="'b'"):
        learner.learn_one({"a": 1.0, "b": bad}, True)
    with pytest.raises(BadData, match="'b'"):
        learner.predict_one({"a": 1.0, "b": bad})
    with refuses("y holds the label 'x', which is none of the classes False, True."):
        learner.learn_one({"a": 1.0, "new": 1.0}, "x")
    assert state(learner) == kept
    assert learner.feature_names_in_.tolist() == ["a", "c"]


def test_a_bad_cell_of_a_frame_is_named_by_its_column(learner):
    X, y = data()
    frame = pd.DataFrame(X, columns=[f"f{j}" for j in range(9)])
    frame.loc[3, "f2"] = np.nan
    with refuses("Input X contains NaN or infinity: row 3, column 2 ('f2') holds NaN."):
        learner.fit(frame, y)
    assert not hasattr(learner, "players_")


def test_numbers_too_large_to_add_up_are_refused():
    X = np.full((3, 2), 1e308)
    with refuses(f"Row 1 of X is too large to be learned from: its score overflows. {LEARNED}"):
        Perceptron().partial_fit(X, [0, 1, 0], classes=[0, 1])


def test_a_label_that_is_no_class_is_refused_and_nothing_is_lost(learner):
    X, y = data()
    learner.partial_fit(X, y, classes=[0, 1])
    sentence = "y holds the label 7 in row 1, which is none of the classes 0, 1."
    with refuses(f"{sentence} Everything before this row was learned."):
        learner.partial_fit(X[:3], [0, 7, 1])
    plain = clone(learner).partial_fit(X, y, classes=[0, 1]).partial_fit(X[:1], [0])
    kept = state(plain)
    assert state(learner) == kept
    with refuses("y holds the label 'x', which is none of the classes 0, 1."):
        learner.learn_one(X[0], "x")
    assert state(learner) == kept
    assert learner.record_.rounds == 61


def test_classes_must_be_known_from_the_start(learner):
    X, y = data()
    with refuses("classes must be given in the first call of partial_fit: all labels there are."):
        learner.partial_fit(X, y)
    with refuses("classes must be given with the first example: all labels there are."):
        learner.learn_one(X[0], 1)
    name = type(learner).__name__
    with refuses(f"{name} needs at least two classes, but y holds 1 class: 1."):
        learner.fit(X, np.ones(60, dtype=int))
    learner.partial_fit(X, y, classes=[0, 1])
    with refuses("classes must be the same in every call of partial_fit."):
        learner.partial_fit(X, y, classes=[0, 1, 2])


def test_a_row_of_another_width_is_refused(learner):
    X, y = data()
    learner.partial_fit(X, y, classes=[0, 1])
    kept = state(learner)
    for act in (lambda: learner.partial_fit(X[:, :4], y), lambda: learner.predict(X[:, :4])):
        with pytest.raises(ValueError, match=r"^X has 4 features, but .* is expecting 9 features"):
            act()
    for act in (lambda: learner.learn_one(X[0, :4], 1), lambda: learner.predict_one(X[0, :4])):
        with refuses("x must have 9 features, but has 4."):
            act()
    with refuses("x must be a vector or a dict, but has shape (1, 9)."):
        learner.predict_one(X[:1])
    assert state(learner) == kept


def test_text_where_a_number_belongs_is_refused(learner):
    with refuses("x must hold one number per feature, but is ['a', 1.0]."):
        learner.learn_one(["a", 1.0], True)
    learner.learn_one({"a": 1.0, "b": 0.0}, True)
    with refuses("x['b'] must be a number, but is 'red'."):
        learner.learn_one({"a": 1.0, "b": "red"}, True)
    with refuses("x['b'] must be a number, but is 'red'."):
        learner.predict_one({"b": "red"})


@pytest.mark.parametrize("name", ["max_iter", "n_iter_no_change"])
@pytest.mark.parametrize("value", [0, -1, 2.5, None, True])
def test_parameters_that_count_must_count(learner, name, value):
    X, y = data()
    with refuses(f"{name} must be a whole number of at least 1, but is {value!r}.", BadParameter):
        learner.set_params(**{name: value}).fit(X, y)


def test_a_constant_that_no_theorem_uses_is_refused(learner):
    X, y = data()
    known = {
        Perceptron: "radius, margin, literals",
        MarginPerceptron: "nothing",
        Winnow: "literals, at_least, separator, threshold",
    }
    name = type(learner).__name__
    with refuses(
        f"{name} has no guarantee from 'colour'; it takes {known[type(learner)]}.", UnknownName
    ):
        learner.fit(X, y).guarantees(colour=1)


# The rest


def test_a_holdout_gives_a_certificate(learner):
    X, y = data(rows=400)
    # The features are few and boolean, so rows that are drawn apart are often equal.
    learner.fit(X[:200], y[:200])
    certificate = learner.certificate(X[200:], y[200:], delta=0.05, overlap="keep")
    wrong = int((learner.predict(X[200:]) != y[200:]).sum())
    assert certificate.claims[0].inputs["errors"] == wrong


def test_a_fit_stops_when_it_no_longer_improves(learner):
    rng = np.random.default_rng(0)
    X = np.repeat((rng.random((10, 4)) < 0.5).astype(float), 2, axis=0)
    X[:, 0] = 1.0
    learner.fit(X, np.tile([0, 1], 10))  # every row stands there with both labels
    assert not learner.record_.clean
    assert learner.n_iter_ < 1000
    assert learner.record_.passes == learner.n_iter_
