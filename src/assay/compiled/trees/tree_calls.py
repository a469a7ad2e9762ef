# Problem   which loops a tree is grown by, so that only those are compiled.
# Given     what is known of a sample: whether it has classes, exactly two of them judged by Gini without weights,
#           weights, features with categories; and whether such a feature gets a child for each of them.
# Returns   their addresses.
# Source    -
from functools import cache

from assay.compiled.common.opaque import NOWHERE, address_of
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
    COUNTS,
    GINI,
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
    weighted, grouped = sample.weights.size > 0, bool(sample.arity.any())
    two = sample.classes == 2 and rule.criterion == GINI and not weighted
    return _calls(sample.classes > 0, two, weighted, grouped, grouped and rule.multiway)


@cache
def _calls(classes: bool, two: bool, weighted: bool, grouped: bool, multiway: bool) -> Calls:
    def needed(function, signature, when):
        return address_of(function, signature) if when else NOWHERE

    return Calls(
        ask=address_of(ask, ASK),
        two=needed(scan_two, TWO, two),
        counts=needed(scan_counts, COUNTS, classes and not (two or weighted)),
        weights=needed(scan_weights, WEIGHTS, classes and weighted),
        target=needed(scan_target, TARGET, not classes),
        two_groups=needed(best_groups, TWO_GROUPS, grouped and not multiway),
        all_groups=needed(all_groups, ALL_GROUPS, multiway),
        send=needed(send_groups, SEND, grouped),
        states=address_of(class_states if classes else target_states, STATES),
        arrange=address_of(arrange, ARRANGE),
        arrange_many=needed(arrange_many, ARRANGE, multiway),
    )
