import re

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier as SklearnTree

from assay import SVC, DecisionTreeClassifier, KernelPerceptron, KNeighborsClassifier, figures
from assay.errors import BadParameter
from assay.report.figures.geometry import leaf_boxes
from tests.report.figures.samples import ball, check_themes, named, two_clouds


def test_the_line_of_a_linear_machine_is_where_its_score_is_zero():
    X, y = two_clouds()
    model = SVC(kernel="linear").fit(X, y)
    figure = figures.decision_boundary(model, X, y)
    [line] = named(figure, "f = 0")
    assert np.abs(model.decision_function(np.column_stack([line.x, line.y]))).max() < 1e-9
    margins = named(figure, "f = ±1")
    found = [model.decision_function(np.column_stack([m.x, m.y])) for m in margins]
    assert np.allclose(found, [[-1, -1], [1, 1]])
    [rings] = named(figure, "support vector")
    shown = {(a, b) for a, b in zip(rings.x, rings.y, strict=True)}
    assert shown == set(map(tuple, model.support_vectors_.tolist()))


def test_the_contour_of_another_machine_is_of_its_scores():
    X, y = ball()
    model = KernelPerceptron(kernel="poly", degree=2, coef0=1).fit(X, y)
    figure = figures.decision_boundary(model, X, y, grid=30)
    contour = next(trace for trace in figure.data if trace.type == "contour")
    mesh = np.column_stack([part.ravel() for part in np.meshgrid(contour.x, contour.y)])
    assert np.array_equal(np.ravel(contour.z), model.decision_function(mesh))
    assert contour.contours.start == contour.contours.end == 0
    [regions] = named(figure, "regions")
    said = model.classes_[np.ravel(regions.z)]
    assert (said == model.predict(mesh)).all()
    # No lines at ±1: a perceptron does not keep away from its boundary.
    assert not named(figure, "f = ±1")


def test_the_boxes_of_a_tree_are_exact():
    X, y = ball()
    model = DecisionTreeClassifier(max_depth=4).fit(X, y)
    figure = figures.decision_boundary(model, X, y)
    [regions] = named(figure, "regions")
    assert regions.z.shape == (len(regions.y) - 1, len(regions.x) - 1)  # edges, not centres
    assert set(model.nodes_.threshold[model.nodes_.feature == 0]) <= set(regions.x)
    [boxes] = named(figure, "box of a leaf")
    assert np.isnan(boxes.x).sum() == model.get_n_leaves()
    box = (regions.x[0], regions.x[-1], regions.y[0], regions.y[-1])
    for left, right, bottom, top in leaf_boxes(model.nodes_, box):
        inside = np.random.default_rng(0).uniform((left, bottom), (right, top), size=(5, 2))
        assert len(set(model.apply(inside))) == 1


def test_points_keep_the_marker_of_their_class():
    X, y = two_clouds()
    figure = figures.decision_boundary(KNeighborsClassifier(3).fit(X, y), X, y, grid=20)
    for label in ("no", "yes"):
        [points] = named(figure, f"class {label}")
        assert (np.column_stack([points.x, points.y]) == X[y == label]).all()
    assert {named(figure, f"class {c}")[0].marker.symbol for c in ("no", "yes")} == {
        "circle",
        "square",
    }


def test_three_classes():
    X, y = two_clouds()
    X, y = np.vstack([X, X[:10] + np.array([0.0, 6.0])]), np.append(y, ["up"] * 10)
    model = SVC().fit(X, y)
    figure = figures.decision_boundary(model, X, y, grid=25)
    assert len([t for t in figure.data if t.type == "contour"]) == 2
    words = {note.text for note in figure.layout.annotations}
    assert words == {"says no", "says up", "says yes"}


def test_a_model_that_knows_names_and_a_tree_of_another_library():
    X, y = two_clouds()
    table = pd.DataFrame(X, columns=["a<b", "age"])
    figure = figures.decision_boundary(SVC(kernel="linear").fit(table, y), X, y, grid=10)
    assert figure.layout.xaxis.title.text == "a&lt;b"
    other = SklearnTree(max_depth=2).fit(X, y)
    assert named(figures.decision_boundary(other, X, y, grid=10), "between classes")


def test_of_many_points_some_are_shown():
    X, y = two_clouds(3000)
    figure = figures.decision_boundary(KNeighborsClassifier(1).fit(X, y), X, y, grid=10)
    assert figure.layout.title.text.endswith("(2,000 of 6,000 points shown)")
    assert sum(len(named(figure, f"class {c}")[0].x) for c in ("no", "yes")) == 2000


def test_themes():
    X, y = two_clouds(6)
    model = SVC(kernel="linear").fit(X, y)
    check_themes(lambda theme: figures.decision_boundary(model, X, y, grid=10, theme=theme))


def test_refusals():
    X, y = two_clouds(6)
    model = SVC(kernel="linear").fit(X, y)
    wide = SVC(kernel="linear").fit(np.column_stack([X, X]), y)
    cases = [
        (model, X, y[:3], "y must be one label for each of the 12 rows, but is (3,)."),
        (
            model,
            X,
            ["maybe"] * 12,
            "y must be made of the model's classes no, yes, but is 'maybe'.",
        ),
        (SVC(), X, y, "model must be a fitted classifier, but is 'SVC'."),
        (
            wide,
            X,
            y,
            "the number of the model's features must be 2, but is 4. Fit it to two columns.",
        ),
    ]
    for given, points, labels, sentence in cases:
        with pytest.raises(BadParameter, match=f"^{re.escape(sentence)}$"):
            figures.decision_boundary(given, points, labels)
