from numba import njit

from assay.compiled.common.bypass_dispatcher import direct


@njit
def double(x):
    return 2 * x


def test_the_machine_code_of_the_only_version():
    assert direct(double) is double  # nothing is compiled yet
    double(3)
    assert direct(double) is not double
    assert direct(double)(21) == 42
    double(1.5)
    assert direct(double) is double  # two versions: the types decide
