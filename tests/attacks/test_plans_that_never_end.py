"""A plan is answered at once, or refused."""

import pytest

from assay import plan
from assay.errors import BadParameter


@pytest.mark.parametrize("agnostic", [False, True])
@pytest.mark.parametrize("dimension", [2001, 10**6, 10**20])
def test_a_class_too_rich_to_sum_over_is_refused(dimension, agnostic):
    with pytest.raises(BadParameter, match="vc_dimension must be at most 2,000"):
        plan(error=0.05, vc_dimension=dimension, agnostic=agnostic)
