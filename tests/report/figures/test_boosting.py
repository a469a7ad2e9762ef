import numpy as np
import pytest

from assay import SVC, AdaBoostClassifier, MajorityBoostClassifier, figures
from assay.errors import BadParameter
from tests.report.figures.samples import ball, check_themes, named, two_clouds


def test_every_panel_says_what_its_rule_says():
    X, y = ball()
    model = AdaBoostClassifier(n_estimators=6).fit(X, y)
    figure = figures.boosted_votes(model, X, y, rules=3, grid=20)
    panels = named(figure, "regions")
    assert len(panels) == 4
    mesh = np.column_stack([part.ravel() for part in np.meshgrid(panels[0].x, panels[0].y)])
    for panel, rule in zip(panels, [*model.estimators_[:3], model], strict=True):
        assert (model.classes_[np.ravel(panel.z)] == rule.predict(mesh)).all()
    share = model.estimator_weights_[0] / model.estimator_weights_.sum()
    assert figure.layout.annotations[0].text == f"rule 1: {share:.0%} of the vote"
    wrong = (model.predict(X) != y).sum()
    assert figure.layout.title.text == f"6 weak rules vote: {wrong} of 80 points wrong"


def test_votes_of_a_majority_are_equal():
    X, y = two_clouds()
    model = MajorityBoostClassifier(edge=0.1).fit(X, y)
    figure = figures.boosted_votes(model, X, y, rules=1, grid=10)
    assert (
        figure.layout.annotations[0].text == f"rule 1: {1 / len(model.estimators_):.0%} of the vote"
    )


def test_themes_and_refusals():
    X, y = ball(30)
    model = AdaBoostClassifier(n_estimators=2).fit(X, y)
    check_themes(lambda theme: figures.boosted_votes(model, X, y, grid=8, theme=theme))
    with pytest.raises(BadParameter, match=r"^model must be a fitted booster, but is 'SVC'\.$"):
        figures.boosted_votes(SVC().fit(X, y), X, y)
    with pytest.raises(BadParameter, match=r"^rules must be from 1 to 8, but is 9\.$"):
        figures.boosted_votes(model, X, y, rules=9)
