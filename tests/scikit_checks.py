"""scikit-learn's checks, and which of them a learner leaves out."""

from __future__ import annotations

from sklearn.utils.estimator_checks import check_estimator


def assert_checks_pass_but_those_named(model):
    """All checks pass but those that the class names, each with its reason, and no name is idle."""
    named = dict(model.skipped_checks)
    results = check_estimator(model, on_skip=None, expected_failed_checks=named)
    assert {r["check_name"] for r in results if r["status"] != "passed"} == set(named)
    assert all(len(reason) > 10 for reason in named.values())
