import numpy as np
import pytest

from assay.compiled.common.shuffle import shuffle


def naive(order, seed):
    """From Marsaglia's paper, with Python's own numbers."""
    order, word = list(order), seed or 1
    for i in range(len(order) - 1):
        word ^= word << 13 & 0xFFFFFFFF
        word ^= word >> 17
        word ^= word << 5 & 0xFFFFFFFF
        j = i + word % 2**31 % (len(order) - i)
        order[i], order[j] = order[j], order[i]
    return order


@pytest.mark.parametrize("n", [0, 1, 2, 3, 100])
@pytest.mark.parametrize("seed", [0, 1, 12345, 2**31 - 2])
def test_the_loop_is_its_twin_pass_after_pass(n, seed):
    order = twin = np.arange(n)
    for _ in range(3):
        order, twin = order.copy(), naive(twin, seed)
        shuffle(order, seed)
        assert order.tolist() == list(twin)


def test_one_seed_puts_rows_where_scikit_learn_puts_them():
    from sklearn.utils._seq_dataset import ArrayDataset64

    data = ArrayDataset64(np.zeros((50, 1)), np.arange(50.0), np.ones(50), seed=1)
    data._shuffle_py(77)
    order = np.arange(50)
    shuffle(order, 77)
    assert order.tolist() == [int(data._next_py()[1]) for _ in range(50)]
