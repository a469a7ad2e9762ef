"""Bandit policies against River and MABWiser: same arms, same losses, the regret of each beside its time."""

import time

import numpy as np
from measure import line, race

from assay import EXP3, UCB1, ThompsonSampling


def table(rounds, arms):
    """Losses of 0 and 1; one arm is better than the others by 0.1."""
    rng = np.random.default_rng(0)
    means = np.full(arms, 0.5)
    means[arms // 2] = 0.4
    return (rng.random((rounds, arms)) < means).astype(float)


def one_by_one(policy, rows):
    """Choose and update, round by round; the loss suffered."""
    total, choose, update = 0.0, policy.next_arm, policy.update
    for row in rows:
        arm = choose()
        loss = row[arm]
        update(arm, loss)
        total += loss
    return total


def river(policy, rows):
    total, arms = 0.0, list(range(len(rows[0])))
    for row in rows:
        arm = policy.pull(arms)
        loss = row[arm]
        policy.update(arm, 1.0 - loss)
        total += loss
    return total


def mabwiser(policy, rows):
    total, arms = 0.0, list(range(len(rows[0])))
    policy.fit(arms, [0] * len(arms))
    for row in rows:
        arm = policy.predict()
        loss = row[arm]
        policy.partial_fit([arm], [1.0 - loss])
        total += loss
    return total


def contest(name, ours, peers, arms, rounds, few, goals=(50, 10)):
    """`rounds` for whole sequences of ours, `few` for everything that is called round by round.

    Every turn of the race has another seed, and the regrets shown are means over the turns.
    """
    losses = table(rounds, arms)
    rows = [[(0.0, 1.0)[int(loss)] for loss in row] for row in losses[:few]]
    best = losses[:few].sum(axis=0).min()
    paid, turn = {}, {}

    def noted(key, run):
        def go():
            turn[key] = turn.get(key, -1) + 1
            paid.setdefault(key, []).append(run(turn[key]))

        return go

    contenders = {
        "whole": lambda: ours(0).play(losses),
        # Twenty runs in a turn, so that it is about as long as a turn of the others.
        "assay": noted("assay", lambda turn: twenty(ours, turn, rows)),
    }
    for key, (make, loop) in peers.items():
        contenders[key] = noted(key, lambda seed, make=make, loop=loop: loop(make(seed), rows))
    ours(0).play(losses[:10])
    one_by_one(ours(0), rows[:10])
    times = race(contenders, 5)
    shown = ", ".join(f"{key} {np.mean(all_) - best:.0f}" for key, all_ in paid.items())
    print(f"{name}, {arms} arms; mean regret after {few} rounds: {shown}")
    lengths = {"whole": rounds, "assay": 20 * few}
    per_round = {key: t / lengths.get(key, few) for key, t in times.items()}
    for key in peers:
        line("  play, per round", per_round["whole"], per_round[key], key, goals[0])
        line("  choose and update", per_round["assay"], per_round[key], key, goals[1])


def twenty(policy, turn, rows):
    """The mean loss of twenty runs, one round at a time, with seeds of their own."""
    seeds = range(20 * turn, 20 * turn + 20)
    return sum(one_by_one(policy(seed), rows) for seed in seeds) / 20


def main():
    from mabwiser.mab import MAB, LearningPolicy
    from river import bandit, proba

    for arms, rounds, few in ((10, 1_000_000, 5000), (100, 100_000, 1000)):
        names = list(range(arms))

        def mab(rule, names=names):
            return lambda seed: MAB(names, rule, seed=seed)

        ucb1, thompson = LearningPolicy.UCB1(alpha=1.0), LearningPolicy.ThompsonSampling()
        contest(
            "UCB1",
            lambda seed, arms=arms: UCB1(arms=arms),
            {
                "River": (lambda seed: bandit.UCB(delta=1, seed=seed), river),
                "MABWiser": (mab(ucb1), mabwiser),
            },
            arms,
            rounds,
            few,
        )
        contest(
            "EXP3",
            lambda seed, arms=arms, few=few: EXP3(arms=arms, rounds=few, random_state=seed),
            {"River": (lambda seed: bandit.Exp3(gamma=0.1, seed=seed), river)},
            arms,
            rounds,
            few,
        )
        contest(
            "Thompson sampling",
            lambda seed, arms=arms: ThompsonSampling(arms=arms, random_state=seed),
            {
                "River": (lambda seed: bandit.ThompsonSampling(proba.Beta(), seed=seed), river),
                "MABWiser": (mab(thompson), mabwiser),
            },
            arms,
            rounds // 10,
            few,
        )


if __name__ == "__main__":
    start = time.perf_counter()
    main()
    print(f"({time.perf_counter() - start:.0f} s)")
