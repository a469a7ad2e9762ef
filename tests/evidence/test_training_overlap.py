import copy

from assay.evidence.training_overlap import TrainingOverlap


def test_the_sentence_and_its_counts():
    some = TrainingOverlap(3, 50, 80, 900)
    assert some == (
        "a sample of 80 of the 900 rows that were learned was compared: "
        "3 of 50 row digests occur in the training set"
    )
    assert some.by_sample
    assert not TrainingOverlap(0, 50, 900, 900).by_sample
    assert copy.deepcopy(some).__getnewargs__() == (3, 50, 80, 900, False)
