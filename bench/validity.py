"""Do intervals keep their 95 %? assay's and its peers' on the same draws, of which the truth is known.

    python bench/validity.py [--runs 10000] [--out FILE] [--only TEXT]

Of each design so many data sets are drawn; of methods that cannot be worked out once for each distinct outcome the
first tenth is asked. Written to FILE as a table for the documentation. Exit code 1 where a promise of assay's was
broken more often than luck explains.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from scipy import stats
from validity_designs import DELTA, HERE, PEERS, Design, designs

SEED = 7
# A method that keeps its promise is called broken with this probability at most.
ALARM = 1e-6


def asked(method, outcomes: np.ndarray) -> np.ndarray:
    """What a method says of each outcome, worked out once for each distinct one."""
    distinct, place = np.unique(outcomes, axis=0, return_inverse=True)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        said = np.array([method(*row) for row in distinct.tolist()], dtype=float)
    return said[place.reshape(-1)]


def row(
    design: Design, name: str, outcomes: np.ndarray, power: np.ndarray | None, runs: int
) -> dict:
    """How often a method was wrong, and what it said on the whole."""
    known = design.truth is None and design.side != "yes"
    used = outcomes[: runs // 10] if name in design.slow else outcomes
    said = asked(design.methods[name], used[:, :-1] if known else used)
    truth = used[:, -1] if known else design.truth
    if design.side == "yes":
        wrong = said > 0
        assert power is not None
        level = float(np.mean(asked(design.methods[name], power)))
    else:
        hair = 1e-9 * (1 + np.abs(np.asarray(truth, dtype=float)))
        wrong = said < truth - hair if design.side == "at most" else said > truth + hair
        wrong = wrong.any(axis=1) if wrong.ndim == 2 else wrong
        level = float(np.mean(said))
    times, trials = int(wrong.sum()), len(used)
    broken = stats.binom.sf(times - 1, trials, DELTA) <= ALARM
    return {
        "method": name,
        "runs": trials,
        "wrong": times / trials,
        "level": level,
        "broken": broken,
    }


def measured(design: Design, number: int, runs: int) -> list[dict]:
    rng = np.random.default_rng([SEED, number])
    outcomes = design.draw(rng, runs)
    power = None if design.power is None else design.power(rng, runs)
    return [row(design, name, outcomes, power, runs) for name in design.methods]


def shown(design: Design, level: float) -> str:
    if design.side == "yes":
        return f"{100 * level:.1f} %"
    return f"{level:,.1f}" if abs(level) >= 5 else f"{level:.4f}"


def table(design: Design, rows: list[dict]) -> str:
    """One design as a table of reStructuredText."""
    last = (
        "yes, where it is right"
        if design.side == "yes"
        else f"mean bound (truth {truth_of(design)})"
    )
    lines = [f"**{design.question}.** {design.drawn}.", ""]
    lines += [".. list-table::", "   :header-rows: 1", "   :widths: 44 14 18 24", ""]
    lines += [f"   * - method\n     - runs\n     - wrong\n     - {last}"]
    for one in rows:
        wrong = f"{100 * one['wrong']:.2f} %"
        wrong = f"**{wrong}, broken**" if one["broken"] else wrong
        lines.append(
            f"   * - {one['method']}\n     - {one['runs']:,}\n     - {wrong}\n     - {shown(design, one['level'])}"
        )
    return "\n".join([*lines, ""])


def truth_of(design: Design) -> str:
    if design.truth is None:
        return "known later"
    return (
        "mean " + f"{np.mean(design.truth):.4g}" if np.ndim(design.truth) else f"{design.truth:.4g}"
    )


def peers() -> str:
    distributions = {"ppi_py": "ppi-python", "sklearn": "scikit-learn"}
    listed = [
        f"{'scikit-learn' if name == 'sklearn' else name} "
        f"{importlib.metadata.version(distributions.get(name, name))}"
        for name in sorted(HERE)
    ]
    listed += [f"SciPy {importlib.metadata.version('scipy')}"]
    missing = sorted(set(PEERS) - HERE)
    gone = f" Not installed, and left out: {', '.join(missing)}." if missing else ""
    return f"Peers: {', '.join(listed)}.{gone}"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    pages, ours_broken = [f"{peers()} {options.runs:,} runs of each design, seed {SEED}.\n"], []
    for number, design in enumerate(designs()):
        if options.only.lower() not in f"{design.question} {design.drawn}".lower():
            continue
        start = time.perf_counter()
        rows = measured(design, number, options.runs)
        print(
            f"== {design.question}: {design.drawn} ({time.perf_counter() - start:.0f} s)",
            flush=True,
        )
        for one in rows:
            mark = "broken" if one["broken"] else ""
            wrong, level = f"{100 * one['wrong']:7.2f} %", shown(design, one["level"])
            print(f"   {one['method']:44} {one['runs']:7,} {wrong} {level:>10}  {mark}")
        ours_broken += [
            design.drawn for one in rows if one["broken"] and "**assay**" in one["method"]
        ]
        pages.append(table(design, rows))
    if options.out is not None:
        options.out.write_text("\n".join(pages), encoding="utf-8")
    for drawn in ours_broken:
        print(f"assay's promise was broken too often: {drawn}", file=sys.stderr)
    return int(bool(ours_broken))


if __name__ == "__main__":
    sys.exit(main())
