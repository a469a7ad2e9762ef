"""Policies with context beside Vowpal Wabbit and MABWiser: the same rounds; what each lost, then the time it took."""

import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
from measure import line, race

from assay import (
    EpsilonGreedy,
    LinearThompson,
    LinUCB,
    SquareCB,
    learn_logged,
    logged_value,
    read_decisions,
)

SEEDS = 10
ROUNDS, FEW = 4000, 400
ARMS, FEATURES = 8, 6
#: Learning rates of Vowpal Wabbit; its own is 0.5.
RATES = (0.05, 0.5, 2.0)


def world(seed, rounds, apart):
    """Contexts or features of actions, and losses of 0 and 1 whose means are linear in them."""
    rng = np.random.default_rng(seed)
    if apart:
        theta = rng.normal(size=(ARMS, FEATURES))
        theta *= 0.45 / np.linalg.norm(theta, axis=1, keepdims=True)
        contexts = rng.normal(size=(rounds, FEATURES))
        contexts /= np.maximum(1.0, np.linalg.norm(contexts, axis=1, keepdims=True))
        means = 0.5 + contexts @ theta.T
        given = [(row, None) for row in contexts]
    else:
        theta = rng.normal(size=FEATURES)
        theta *= 0.45 / np.linalg.norm(theta)
        table = rng.normal(size=(rounds, ARMS, FEATURES))
        table /= np.maximum(1.0, np.linalg.norm(table, axis=2, keepdims=True))
        means = 0.5 + table @ theta
        given = [(None, rows) for rows in table]
    return given, means, (rng.random(means.shape) < means).astype(float)


def ours(policy, given, losses):
    """Choose and update, one round after the other; the mean loss over the rounds."""
    total, choose, update = 0.0, policy.choose, policy.update
    for (context, actions), row in zip(given, losses, strict=True):
        action, _ = choose(context, actions)
        loss = float(row[action])
        update(action, loss)
        total += loss
    return total / len(losses)


def lines_for_vw(given):
    """The rounds as Vowpal Wabbit reads them, made before the clock runs."""

    def cells(row):
        return " ".join(f"f{j}:{value:.6f}" for j, value in enumerate(row))

    if given[0][1] is None:
        arms = [f"|a arm{k}" for k in range(ARMS)]
        return [[f"shared |c {cells(context)}", *arms] for context, _ in given]
    return [[f"|a {cells(row)}" for row in actions] for _, actions in given]


def vowpal(options, seed, rounds, losses):
    """Predict, draw and learn, as its own tutorial does; the mean loss."""
    from vowpalwabbit import Workspace

    workspace = Workspace(f"--cb_explore_adf {options} --quiet --random_seed {seed}")
    rng, total = np.random.default_rng(seed), 0.0
    draws = rng.random(len(losses))
    for lines, row, draw in zip(rounds, losses, draws, strict=True):
        chances = workspace.predict(lines)
        action, left = 0, draw * sum(chances)
        for action, chance in enumerate(chances):  # noqa: B007
            left -= chance
            if left < 0:
                break
        loss, at = float(row[action]), action + (lines[0][:6] == "shared")
        told = list(lines)
        told[at] = f"0:{loss}:{chances[action]} {told[at]}"
        workspace.learn(told)
        total += loss
    workspace.finish()
    return total / len(losses)


def mabwiser(rule, seed, given, losses):
    """Predict and fit, one round after the other; the mean loss."""
    from mabwiser.mab import MAB

    mab, total = MAB(list(range(ARMS)), rule, seed=seed), 0.0
    rows = [np.concatenate([[1.0], context])[None] for context, _ in given]
    mab.fit([0], [0.5], rows[0])
    for context, row in zip(rows, losses, strict=True):
        arm = mab.predict(context)
        loss = float(row[arm])
        mab.partial_fit([arm], [1.0 - loss], context)
        total += loss
    return total / len(losses)


def contest(title, apart):
    """First what each loses over the seeds; then how long a round takes."""
    cross = "-q ca" if apart else ""
    made = {
        "LinUCB": lambda seed: LinUCB(arms=ARMS, parameter_norm=0.45, random_state=seed),
        "LinUCB, optimism 0.2": lambda seed: LinUCB(
            arms=ARMS, parameter_norm=0.45, optimism=0.2, random_state=seed
        ),
        "LinearThompson": lambda seed: LinearThompson(arms=ARMS, random_state=seed),
        "EpsilonGreedy": lambda seed: EpsilonGreedy(arms=ARMS, exploration=0.05, random_state=seed),
        "SquareCB": lambda seed: SquareCB(arms=ARMS, gamma=20.0, random_state=seed),
    }
    options = {
        "vw epsilon": f"--epsilon 0.05 {cross}",
        "vw squarecb": f"--squarecb {cross}",
        "vw regcb": f"--regcb {cross}",
    }
    lost = {name: [] for name in made}
    tried = {name: {rate: [] for rate in RATES} for name in options}
    for seed in range(SEEDS):
        given, means, losses = world(seed, ROUNDS, apart)
        least = means.min(axis=1).mean()
        for name, make in made.items():
            lost[name].append(ours(make(seed), given, losses) - least)
        rounds = lines_for_vw(given)
        for name, text in options.items():
            for rate, each in tried[name].items():
                each.append(vowpal(f"{text} -l {rate}", seed, rounds, losses) - least)
    # Of several learning rates the peers have the one that served them best on these very rounds.
    for name, by_rate in tried.items():
        best = min(by_rate, key=lambda rate, by_rate=by_rate: np.mean(by_rate[rate]))
        lost[name], options[name] = by_rate[best], f"{options[name]} -l {best}"
    print(f"{title}: {ARMS} actions, {FEATURES} features, {ROUNDS} rounds, {SEEDS} seeds")
    print("  vw with", ", ".join(f"{text.strip()!r}" for text in options.values()))
    shown(lost)
    for mine, theirs in (
        ("EpsilonGreedy", "vw epsilon"),
        ("SquareCB", "vw squarecb"),
        ("LinUCB", "vw regcb"),
        ("LinearThompson", "vw squarecb"),
    ):
        not_worse(mine, lost[mine], theirs, lost[theirs])
    given, _, losses = world(SEEDS, ROUNDS, apart)
    rounds = lines_for_vw(given)
    for make in made.values():
        ours(make(0), given[:20], losses[:20])
    times = race(
        {name: (lambda make=make: ours(make(0), given, losses)) for name, make in made.items()}
        | {
            name: (lambda text=text: vowpal(text, 0, rounds, losses))
            for name, text in options.items()
        },
        3,
    )
    rates = {name: f"{ROUNDS / seconds:,.0f}" for name, seconds in times.items()}
    print("  rounds a second: " + ", ".join(f"{name} {rate}" for name, rate in rates.items()))
    for mine, theirs in (
        ("EpsilonGreedy", "vw epsilon"),
        ("SquareCB", "vw squarecb"),
        ("LinUCB", "vw regcb"),
    ):
        line(f"  {mine}, per round", times[mine] / ROUNDS, times[theirs] / ROUNDS, theirs, 3)


def beside_mabwiser():
    """A model for every arm, as MABWiser has them; of three settings each has the one that served it best."""
    from mabwiser.mab import LearningPolicy

    def own(policy, **terms):
        return lambda seed: policy(arms=ARMS, random_state=seed, **terms)

    pairs = {
        ("LinUCB", "MABWiser LinUCB"): (
            [own(LinUCB, parameter_norm=0.45, optimism=share) for share in (0.1, 0.2, 0.4)],
            [LearningPolicy.LinUCB(alpha=alpha, l2_lambda=1.0) for alpha in (0.5, 1.0, 2.0)],
        ),
        ("LinearThompson", "MABWiser LinTS"): (
            [own(LinearThompson, scale=scale) for scale in (0.25, 0.5, 1.0)],
            [LearningPolicy.LinTS(alpha=alpha, l2_lambda=1.0) for alpha in (0.25, 0.5, 1.0)],
        ),
        ("EpsilonGreedy", "MABWiser LinGreedy"): (
            [own(EpsilonGreedy, exploration=share) for share in (0.02, 0.05, 0.1)],
            [LearningPolicy.LinGreedy(epsilon=share, l2_lambda=1.0) for share in (0.02, 0.05, 0.1)],
        ),
    }
    worlds = [world(seed, FEW, True) for seed in range(SEEDS)]
    least = np.array([means.min(axis=1).mean() for _, means, _ in worlds])

    def lost(play):
        each = [play(seed, given, losses) for seed, (given, _, losses) in enumerate(worlds)]
        return np.array(each) - least

    print(f"Beside MABWiser: {ARMS} actions, {FEATURES} features, {FEW} rounds, {SEEDS} seeds")
    given, _, losses = world(SEEDS, FEW, True)
    for (mine, theirs), (makes, rules) in pairs.items():
        ran = [lost(lambda seed, *rows, make=make: ours(make(seed), *rows)) for make in makes]
        peers = [lost(lambda seed, *rows, rule=rule: mabwiser(rule, seed, *rows)) for rule in rules]
        best, rival = (min(each, key=np.mean) for each in (ran, peers))
        shown({mine: best, theirs: rival})
        not_worse(mine, best, theirs, rival)
        times = race(
            {
                "assay": lambda makes=makes: ours(makes[1](0), given, losses),
                "peer": lambda rules=rules: mabwiser(rules[1], 0, given, losses),
            },
            3,
        )
        line(f"  {mine}, per round", times["assay"] / FEW, times["peer"] / FEW, theirs, 10)


def shown(lost):
    """Mean regret per round of each, and its standard error."""
    for name, each in lost.items():
        error = np.std(each, ddof=1) / np.sqrt(len(each))
        print(f"  {name:<20} regret a round {np.mean(each):.4f} +- {error:.4f}")


def not_worse(mine, ours_, theirs, peers):
    """Whether ours lost no more than a peer, seed by seed, but for noise."""
    gap = np.array(ours_) - np.array(peers)
    error = np.std(gap, ddof=1) / np.sqrt(len(gap))
    verdict = "met" if gap.mean() <= 2 * error else "MISSED"
    print(
        f"  {mine} beyond {theirs}: {gap.mean():+.4f} +- {error:.4f} (goal: not above two errors) {verdict}",
        flush=True,
    )


# A log in the form of Open Bandit, whose truth is known


ITEMS, USERS = 20, (3, 4, 2)


def open_bandit_log(path, seed, rounds):
    """Items drawn alike, clicks whose rates depend on the user; and the rates, for judging."""
    rng = np.random.default_rng(seed)
    tastes = [rng.normal(size=(many, ITEMS)) for many in USERS]
    users = [rng.integers(many, size=rounds) for many in USERS]
    score = sum(taste[user] for taste, user in zip(tastes, users, strict=True))
    rates = 0.3 / (1.0 + np.exp(-2.0 * score + 2.0))
    items = rng.integers(ITEMS, size=rounds)
    clicks = (rng.random(rounds) < rates[np.arange(rounds), items]).astype(int)
    head = ["", "timestamp", "item_id", "position", "click", "propensity_score"]
    head += [f"user_feature_{i}" for i in range(len(USERS))]
    with Path(path).open("w") as file:
        file.write(",".join(head) + "\n")
        for t in range(rounds):
            told = ",".join(f"u{i}v{user[t]}" for i, user in enumerate(users))
            start = f"{t},2019-11-24 00:00:00+00:00,{items[t]},1,{clicks[t]}"
            file.write(f"{start},{1 / ITEMS},{told}\n")
    return rates, clicks


def on_a_log():
    """Learn from the first half of a log; what the policies would earn in the second, by the truth."""
    from mabwiser.mab import MAB, LearningPolicy
    from vowpalwabbit import Workspace

    earned, seconds, rounds = {}, {}, 20_000
    half = rounds // 2

    def noted(name, start, chosen, rates):
        seconds.setdefault(name, []).append(time.perf_counter() - start)
        value = rates[np.arange(half, rounds), chosen].mean()
        earned.setdefault(name, []).append(value)

    for seed in range(5):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "all.csv")
            rates, clicks = open_bandit_log(path, seed, rounds)
            log = read_decisions(path)
        first, rest = log.part(0, half), log.part(half, rounds)
        for method in ("doubly-robust", "inverse-propensity"):
            start = time.perf_counter()
            policy = EpsilonGreedy(arms=ITEMS, exploration=1e-6, random_state=0)
            learn_logged(policy, first, method=method)
            chosen = [policy.choose(context)[0] for context in rest.contexts]
            noted(f"assay {method}", start, chosen, rates)
        value = logged_value(rest, policy=np.eye(ITEMS)[chosen])
        truth = 1 - rates[np.arange(half, rounds), chosen].mean()
        assert value.lower <= truth <= value.upper
        texts = [" ".join(f"f{j}" for j in np.flatnonzero(context)) for context in log.contexts]
        shared = [f"shared |c {text}" for text in texts]
        arms = [f"|a item{k}" for k in range(ITEMS)]
        for kind in ("mtr", "dr", "ips"):
            start = time.perf_counter()
            options = f"--cb_adf --cb_type {kind} -q ca --quiet"
            workspace = Workspace(options)
            for t in range(half):
                told = [shared[t], *arms]
                at = 1 + int(log.actions[t])
                told[at] = f"0:{-float(clicks[t])}:{1 / ITEMS} {told[at]}"
                workspace.learn(told)
            scores = [workspace.predict([shared[t], *arms]) for t in range(half, rounds)]
            noted(f"vw {kind}", start, np.argmin(scores, axis=1), rates)
            workspace.finish()
        start = time.perf_counter()
        mab = MAB(list(range(ITEMS)), LearningPolicy.LinGreedy(epsilon=0.0, l2_lambda=1.0), seed=0)
        rows = np.column_stack([np.ones(rounds), log.contexts])
        mab.fit(log.actions[:half], clicks[:half], rows[:half])
        noted("MABWiser LinGreedy", start, mab.predict(rows[half:]), rates)
    print(f"Learned from a log in Open Bandit's form: {half:,} rounds, {ITEMS} items, 5 seeds")
    for name, each in earned.items():
        error = np.std(each, ddof=1) / np.sqrt(len(each))
        print(
            f"  {name:<24} clicks a round {np.mean(each):.4f} +- {error:.4f}, {np.min(seconds[name]):.2f} s"
        )
    for theirs in ("vw mtr", "vw dr", "vw ips", "MABWiser LinGreedy"):
        losses = [[-value for value in earned[name]] for name in ("assay doubly-robust", theirs)]
        not_worse("assay doubly-robust", losses[0], theirs, losses[1])
    best = min(min(seconds[name]) for name in ("vw mtr", "vw dr", "vw ips"))
    line("  learn and choose, all rounds", min(seconds["assay doubly-robust"]), best, "vw", 3)


# Intervals from logs whose truth is known


def logged_rounds(rng, rounds, drawn, means, policy):
    """Losses of 0 and 1, propensities, and the probabilities of the logged actions under the policy."""
    actions = rng.choice(len(drawn), rounds, p=drawn)
    losses = (rng.random(rounds) < means[actions]).astype(float)
    return actions, losses, drawn[actions], policy[actions]


def intervals(repeats=200):
    """How often 95 % intervals of a policy's loss are wrong, and how wide they are, ours and Open Bandit Pipeline's."""
    even, rare = np.full(10, 0.1), np.array([0.98, 0.01, 0.01])
    designs = {
        "ten actions drawn alike, 1,000 rounds": (
            1000,
            even,
            np.linspace(0.2, 0.8, 10),
            np.eye(10)[0],
        ),
        "a rare action, propensity 0.01, 1,000 rounds": (
            1000,
            rare,
            np.array([0.6, 0.3, 0.9]),
            np.array([0.1, 0.8, 0.1]),
        ),
        "ten actions drawn alike, 100 rounds": (
            100,
            even,
            np.linspace(0.02, 0.8, 10),
            np.eye(10)[0],
        ),
    }
    peers = open_bandit_pipeline()
    if not peers:
        print("  (Open Bandit Pipeline is not installed; its intervals are left out)")
    for title, (rounds, drawn, means, policy) in designs.items():
        truth, rng = float(policy @ means), np.random.default_rng(0)
        found = {}
        for _ in range(repeats):
            actions, losses, chance, wanted = logged_rounds(rng, rounds, drawn, means, policy)
            anytime = logged_value(losses, chance, wanted)
            bounded = logged_value(losses, chance, wanted, least_propensity=drawn.min())
            ends = {
                "assay, any weights, any time": (anytime.lower, anytime.upper),
                "assay, least propensity": (bounded.lower, bounded.upper),
            }
            table = np.tile(policy, (rounds, 1))[:, :, None]
            for name, estimate in peers.items():
                ends[name] = estimate(losses, actions, chance, table)
            for name, (low, high) in ends.items():
                found.setdefault(name, []).append((not low <= truth <= high, high - low))
        print(f"Intervals from logs: {title}, {repeats} logs")
        for name, each in found.items():
            wrong, width = np.mean(each, axis=0)
            print(f"  {name:<30} wrong {100 * wrong:.1f} %, width {width:.3f}")


def open_bandit_pipeline():
    """Its intervals, by bootstrap, where it is installed."""
    try:
        from obp.ope.estimators import (
            InverseProbabilityWeighting,
            SelfNormalizedInverseProbabilityWeighting,
        )
    except ImportError:
        return {}

    def by(estimator):
        def estimate(losses, actions, chance, table):
            found = estimator().estimate_interval(
                reward=losses,
                action=actions,
                pscore=chance,
                action_dist=table,
                position=np.zeros(len(losses), dtype=int),
                alpha=0.05,
                n_bootstrap_samples=1000,
                random_state=0,
            )
            return found["95.0% CI (lower)"], found["95.0% CI (upper)"]

        return estimate

    return {
        "obp, inverse propensity": by(InverseProbabilityWeighting),
        "obp, self-normalised": by(SelfNormalizedInverseProbabilityWeighting),
    }


def main():
    warnings.simplefilter("ignore")
    parts = sys.argv[1:] or ["actions", "arms", "mabwiser", "log", "intervals"]
    if "actions" in parts:
        contest("Features of actions", apart=False)
    if "arms" in parts:
        contest("A model for each arm", apart=True)
    if "mabwiser" in parts:
        beside_mabwiser()
    if "log" in parts:
        on_a_log()
    if "intervals" in parts:
        intervals()


if __name__ == "__main__":
    begun = time.perf_counter()
    main()
    print(f"({time.perf_counter() - begun:.0f} s)")
