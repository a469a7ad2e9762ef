"""Timing for the benches: contenders take turns, and the best of each counts."""

import time


def race(contenders, repeats=5):
    """Seconds of each contender: the best of several turns, taken one after the other."""
    best = dict.fromkeys(contenders, float("inf"))
    for _ in range(repeats):
        for name, run in contenders.items():
            start = time.perf_counter()
            run()
            best[name] = min(best[name], time.perf_counter() - start)
    return best


def line(what, ours, peer, peer_name, goal):
    """One result against its goal."""
    ratio = peer / ours
    verdict = "met" if ratio >= goal else "MISSED"
    print(
        f"{what}: {ours:.4g} s, {peer_name} {peer:.4g} s, ratio {ratio:.2f} (goal {goal}) {verdict}",
        flush=True,
    )
