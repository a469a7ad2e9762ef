"""The majority attack breaks a ledger that counts looks and not the one that ships."""

import numpy as np
import pytest

from assay.checks import check_bound
from assay.checks.attacks import Charged, LooksOnly, majority_attack


def test_counting_looks_alone_is_caught():
    found = check_bound(majority_attack(LooksOnly, looks=100), delta=0.05, trials=60)
    assert not found.sound
    assert found.rate >= 0.95


class Quick(Charged):
    """The same charge without working out the promises nobody looks at."""

    def tell(self, errors, rows):
        self.ledger.charge("attacked", answers=rows + 1, delta=self.delta)


@pytest.mark.parametrize(("rule", "looks", "trials"), [(Charged, 10, 5), (Quick, 100, 20)])
def test_the_shipped_ledger_holds(rule, looks, trials):
    found = check_bound(majority_attack(rule, looks=looks), delta=0.05, trials=trials)
    assert found.violations == 0


@pytest.mark.guarantees
@pytest.mark.parametrize(("rule", "looks"), [(Charged, 10), (Charged, 100), (Quick, 500)])
def test_the_shipped_ledger_holds_two_hundred_times(rule, looks):
    found = check_bound(majority_attack(rule, looks=looks), delta=0.05, trials=200)
    assert found.violations == 0


def test_the_quick_charge_is_the_real_one():
    books = Charged(), Quick()
    for book in books:
        book.tell(400, 1000)
    assert books[0].ledger.entries()[0].share == books[1].ledger.entries()[0].share
    assert books[0].promise(400, 1000) == books[1].promise(400, 1000)


def test_the_attack_looks_as_good_as_it_should():
    # A hundred kept coins agree with the labels on about 60 % of the rows.
    seen = []

    class Watch(LooksOnly):
        def promise(self, errors, rows):
            seen.append(errors / rows)
            return super().promise(errors, rows)

    majority_attack(Watch, looks=100)(np.random.default_rng(0), 50)
    assert np.mean(seen) == pytest.approx(0.40, abs=0.01)
