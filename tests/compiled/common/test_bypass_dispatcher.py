from numba import njit

from assay.compiled.common.bypass_dispatcher import bypass_dispatcher


@njit
def double(x):
    return 2 * x


def test_the_machine_code_of_the_only_version():
    assert bypass_dispatcher(double) is double  # nothing is compiled yet
    double(3)
    assert bypass_dispatcher(double) is not double
    assert bypass_dispatcher(double)(21) == 42
    double(1.5)
    assert bypass_dispatcher(double) is double  # two versions: the types decide
