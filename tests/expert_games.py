"""Losses, advice and outcomes, random and made up by opponents, for any policy over experts."""

from __future__ import annotations

import numpy as np
import pytest

#: Games by the block: the first are played by the suite, the others by `make guarantees`.
BLOCKS = [*range(4), *(pytest.param(block, marks=pytest.mark.guarantees) for block in range(4, 20))]


def alternating(rounds):
    """Ruins whoever follows the leader: half a unit, then each expert in turn loses one."""
    table = np.zeros((rounds, 2))
    table[0, 0] = 0.5
    table[1::2, 1] = table[2::2, 0] = 1.0
    return table


def leader_loses(rounds, experts):
    """The expert that has lost least so far always loses one."""
    table, totals = np.zeros((rounds, experts)), np.zeros(experts)
    for row in table:
        row[np.argmin(totals)] = 1.0
        totals += row
    return table


def losses(seed, largest=1.0):
    """One of eight kinds of tables of losses in [0, largest], up to 40 rounds and 6 experts."""
    rng = np.random.default_rng(seed)
    rounds, experts = int(rng.integers(1, 41)), int(rng.integers(1, 7))
    kinds = [
        lambda: rng.random((rounds, experts)),
        lambda: (rng.random((rounds, experts)) < 0.5).astype(float),
        lambda: (rng.random((rounds, experts)) < np.linspace(0.1, 0.9, experts)).astype(float),
        lambda: leader_loses(rounds, experts),
        lambda: alternating(rounds),
        lambda: np.roll(np.eye(experts), 1, axis=0)[np.arange(rounds) % experts],
        lambda: np.where(np.arange(rounds)[:, None] // 7 % experts == np.arange(experts), 0.0, 1.0),
        lambda: np.repeat(rng.integers(0, 2, (1, experts)).astype(float), rounds, axis=0),
    ]
    return largest * kinds[seed % len(kinds)]()


def advice(seed):
    """Advice and outcomes in [0, 1]; often at the ends, where losses are largest."""
    rng = np.random.default_rng(seed)
    rounds, experts = int(rng.integers(1, 41)), int(rng.integers(1, 7))
    said, told = rng.random((rounds, experts)), rng.random(rounds)
    if seed % 3 == 0:
        said, told = said.round(), told.round()
    elif seed % 3 == 1:
        said, told = 0.02 + 0.96 * said, told.round()
    return said, told


def labels(seed):
    """Labels of 0 and 1, by experts of different skill; in every other game an opponent's."""
    rng = np.random.default_rng(seed)
    rounds, experts = int(rng.integers(1, 41)), int(rng.integers(1, 9))
    told = rng.integers(0, 2, rounds)
    skill = rng.random(experts)
    right = rng.random((rounds, experts)) < skill
    return np.where(right, told[:, None], 1 - told[:, None]), told


def against_majority(rounds, experts, beta, perfect=True):
    """Each round a set of experts with barely half of the weight errs; if perfect, never the first.

    The outcome is always 0 and a tie goes to 1, so such a set carries the vote.
    """
    weights, said = np.ones(experts), np.zeros((rounds, experts), dtype=int)
    for row in said:
        half, wrong, total = weights.sum() / 2, [], 0.0
        free = sorted(range(int(perfect), experts), key=lambda i: (-weights[i], i))
        for i in free:
            if total + weights[i] <= half:
                wrong.append(i)
                total += weights[i]
        rest = [i for i in free if i not in wrong]
        if total < half and rest:
            wrong.append(rest[-1])
            total += weights[rest[-1]]
        if total >= half:
            row[wrong] = 1
            weights[wrong] *= beta
    return said, np.zeros(rounds, dtype=int)


def asleep(seed):
    """Losses in [0, 1] with NaN for sleepers; somebody is always awake."""
    table = losses(seed)
    rng = np.random.default_rng(seed + 10**6)
    gone = rng.random(table.shape) < rng.random()
    gone[np.arange(len(table)), rng.integers(0, table.shape[1], len(table))] = False
    return np.where(gone, np.nan, table)


# Opponents who look at the policy before they move


def against_weights(policy, rounds, experts):
    """The half of the experts with more weight loses; a policy that takes losses."""
    for _ in range(rounds):
        weights, row = policy.predict(experts=experts), np.zeros(experts)
        row[np.argsort(-weights, kind="stable")[: (experts + 1) // 2]] = 1.0
        policy.update(row)
    return policy


def against_prediction(policy, rounds, experts, seed=0, labels=False, sleepers=False):
    """The outcome is what the policy thinks least likely; a policy that takes advice."""
    rng = np.random.default_rng(seed)
    for _ in range(rounds):
        said = rng.integers(0, 2, experts) if labels else rng.random(experts).round(1)
        row = said.astype(object)
        if sleepers:
            row[1:][rng.random(experts - 1) < 0.4] = None
        policy.update(row, 1 if policy.predict(row) < 0.5 else 0)
    return policy
