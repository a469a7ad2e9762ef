"""scikit-learn's checks, and which of them a learner leaves out."""

from __future__ import annotations

from sklearn.utils import estimator_checks

#: Checks that scikit-learn 1.6 does not have yet.
LATER = {"check_estimator_sparse_tag"}


def assert_checks_pass_but_those_named(model):
    """All checks pass but those that the class names, each with its reason, and no name is idle."""
    lacking = {name for name in model.skipped_checks if not hasattr(estimator_checks, name)}
    assert lacking <= LATER, lacking
    named = {name: why for name, why in model.skipped_checks.items() if name not in lacking}
    results = estimator_checks.check_estimator(model, on_skip=None, expected_failed_checks=named)
    assert {r["check_name"] for r in results if r["status"] != "passed"} == set(named)
    assert all(len(reason) > 10 for reason in named.values())
