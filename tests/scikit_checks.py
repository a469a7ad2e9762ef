"""scikit-learn's checks, and which of them a learner leaves out."""

from __future__ import annotations

from sklearn.utils import estimator_checks

#: Checks that scikit-learn 1.6 does not have yet.
LATER = {"check_estimator_sparse_tag"}


def assert_checks_pass_but_those_named(model):
    """All checks pass but those that the class names, each with its reason, and no name is idle."""
    reasons = model.skipped_checks
    lacking = {name for name in reasons if not hasattr(estimator_checks, name)}
    named = {name: why for name, why in reasons.items() if name not in lacking}
    results = estimator_checks.check_estimator(model, on_skip=None, expected_failed_checks=named)
    missed = {result["check_name"] for result in results if result["status"] != "passed"}
    assert missed <= set(named), missed - set(named)
    if all(hasattr(estimator_checks, name) for name in LATER):
        assert (missed, lacking) == (set(named), set())
    else:  # the same check may ask less there
        assert lacking <= LATER, lacking - LATER
    assert all(len(reason) > 10 for reason in reasons.values())
