# Problem   which loops a tree is grown by, so that only those are compiled.
# Given     what is known of a sample: the criterion where it is one of tree_aims, else -1; whether it has classes,
#           exactly two of them judged by Gini without weights, weights, features with categories; and whether such a
#           feature gets a child for each of them.
# Returns   their addresses.
# Source    -
from functools import cache

from assay.compiled.common.opaque import NOWHERE, address_of
from assay.compiled.trees.tree_aims import (
    AIMED,
    cut_labels,
    cut_means,
    cut_medians,
    label_states,
    mean_states,
    median_states,
)
from assay.compiled.trees.tree_divide import (
    ARRANGE,
    SEND,
    STATES,
    arrange,
    arrange_many,
    class_states,
    send_groups,
    target_states,
)
from assay.compiled.trees.tree_groups import ALL_GROUPS, TWO_GROUPS, all_groups, best_groups
from assay.compiled.trees.tree_sample import Calls, Rule, Sample
from assay.compiled.trees.tree_scan import (
    ABSOLUTES,
    COUNTS,
    GINI,
    POISSON,
    SQUARES,
    TARGET,
    TWO,
    WEIGHTS,
    scan_counts,
    scan_target,
    scan_two,
    scan_weights,
)
from assay.compiled.trees.tree_search import ASK, ask


def calls_of(sample: Sample, rule: Rule) -> Calls:
    aim = sample.aim.criterion if sample.aim.outputs > 0 else -1
    weighted, grouped = sample.weights.size > 0, bool(sample.arity.any())
    two = sample.classes == 2 and rule.criterion == GINI and not weighted
    return _calls(aim, sample.classes > 0, two, weighted, grouped, grouped and rule.multiway)


@cache
def _calls(
    aim: int, classes: bool, two: bool, weighted: bool, grouped: bool, multiway: bool
) -> Calls:
    def needed(function, signature, when):
        return address_of(function, signature) if when else NOWHERE

    cut, states = _aimed(aim)
    states = states if aim >= 0 else class_states if classes else target_states
    return Calls(
        ask=address_of(ask, ASK),
        two=needed(scan_two, TWO, two),
        counts=needed(scan_counts, COUNTS, classes and not (two or weighted)),
        weights=needed(scan_weights, WEIGHTS, classes and weighted),
        target=needed(scan_target, TARGET, not classes and aim < 0),
        aimed=needed(cut, AIMED, aim >= 0),
        two_groups=needed(best_groups, TWO_GROUPS, grouped and not multiway),
        all_groups=needed(all_groups, ALL_GROUPS, multiway),
        send=needed(send_groups, SEND, grouped),
        states=address_of(states, STATES),
        arrange=address_of(arrange, ARRANGE),
        arrange_many=needed(arrange_many, ARRANGE, multiway),
    )


def _aimed(criterion: int):
    if criterion == ABSOLUTES:
        return cut_medians, median_states
    if criterion in (SQUARES, POISSON):
        return cut_means, mean_states
    return cut_labels, label_states
