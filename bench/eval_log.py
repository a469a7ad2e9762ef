"""Certifying evaluation logs of 100,000 samples, beside merely parsing them with the standard library.

One line per format: the best time of ours (`read_eval`, with units, copies and what a ledger knows samples by, and the
certificate), the best time of ``json.loads`` on the same text (of expat on XML, ``csv`` on CSV), and their ratio.

    python bench/eval_log.py [--samples N] [--repeat K]
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import tempfile
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any
from xml.parsers import expat

from measure import race

from assay import read_eval

GOAL = 2.0  # seconds


def question(i: int) -> str:
    """About as much as evaluations ask."""
    return (
        f"Question {i}: a train travels {i} km at {i % 90 + 10} km/h; how long does it take? " * 3
    )


def lines(path: Path, rows: Iterable[dict[str, Any]]) -> Callable[[], object]:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return lambda: [json.loads(line) for line in path.open("rb")]


def document(path: Path, value: Any) -> Callable[[], object]:
    path.write_text(json.dumps(value))
    return lambda: json.loads(path.read_bytes())


def inspect_ai(folder: Path, right: list[bool]) -> tuple[Path, Callable[[], object]]:
    path = folder / "run.eval"
    scorers = [{"name": "match", "options": {}}]
    header = {
        "status": "success",
        "eval": {"task": "sums", "model": "m", "scorers": scorers},
        "results": {"total_samples": len(right)},
    }
    told = [
        {
            **{"id": f"q{i}", "epoch": 1, "input": question(i), "target": str(i)},
            "scores": {"match": {"value": "C" if ok else "I", "answer": str(i), "history": []}},
        }
        for i, ok in enumerate(right)
    ]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", json.dumps(header))
        for i in range(len(right)):
            archive.writestr(f"samples/q{i}_epoch_1.json", "{}")
        archive.writestr("summaries.json", json.dumps(told))

    def parsed() -> object:
        with zipfile.ZipFile(path) as archive:
            return json.loads(archive.read("summaries.json"))

    return path, parsed


def lm_eval(folder: Path, right: list[bool]) -> tuple[Path, Callable[[], object]]:
    path = folder / "samples_sums_2026-01-01T00-00-00.jsonl"
    rows = (
        {
            **{"doc_id": i, "doc": {"question": question(i), "answer": str(i)}, "target": str(i)},
            "arguments": {"gen_args_0": {"arg_0": question(i), "arg_1": {"until": ["\n"]}}},
            **{"resps": [[str(i)]], "filtered_resps": [str(i)], "filter": "none"},
            **{"metrics": ["exact_match"], "doc_hash": f"{i:064x}", "prompt_hash": f"{i:064x}"},
            **{"target_hash": f"{i:064x}", "exact_match": float(ok)},
        }
        for i, ok in enumerate(right)
    )
    return path, lines(path, rows)


def promptfoo(folder: Path, right: list[bool]) -> tuple[Path, Callable[[], object]]:
    path = folder / "results.json"
    rows = [
        {
            **{"testIdx": i, "promptIdx": 0, "vars": {"q": question(i)}, "provider": {"id": "m"}},
            "testCase": {
                "vars": {"q": question(i)},
                "assert": [{"type": "equals", "value": str(i)}],
            },
            "prompt": {"raw": question(i), "label": "{{q}}"},
            **{"success": ok, "score": float(ok), "namedScores": {}},
            "response": {"output": str(i)},
        }
        for i, ok in enumerate(right)
    ]
    return path, document(path, {"results": {"version": 3, "results": rows}})


def deepeval(folder: Path, right: list[bool]) -> tuple[Path, Callable[[], object]]:
    path = folder / "test_run.json"
    cases = [
        {
            **{"name": f"test_{i}", "input": question(i), "actualOutput": str(i), "success": ok},
            "metricsData": [{"name": "Exact Match", "success": ok, "score": float(ok)}],
        }
        for i, ok in enumerate(right)
    ]
    return path, document(path, {"testFile": "test_sums.py", "testCases": cases})


def openai_evals(folder: Path, right: list[bool]) -> tuple[Path, Callable[[], object]]:
    path = folder / "record.jsonl"
    rows: list[dict[str, Any]] = [{"spec": {"eval_name": "sums", "completion_fns": ["m"]}}]
    for i, ok in enumerate(right):
        asked = {"prompt": question(i), "sampled": [str(i)]}
        match = {"correct": ok, "expected": str(i), "picked": str(i)}
        rows += [
            {"event_id": 2 * i, "sample_id": f"sums.{i}", "type": "sampling", "data": asked},
            {"event_id": 2 * i + 1, "sample_id": f"sums.{i}", "type": "match", "data": match},
        ]
    return path, lines(path, [*rows, {"final_report": {}}])


def helm(folder: Path, right: list[bool]) -> tuple[Path, Callable[[], object]]:
    path = folder / "per_instance_stats.json"
    stats = [
        {
            **{"instance_id": f"id{i}", "train_trial_index": 0},
            "stats": [
                {"name": {"name": "exact_match", "split": "test"}, "count": 1, "sum": float(ok)}
            ],
        }
        for i, ok in enumerate(right)
    ]
    return path, document(path, stats)


def mlflow(folder: Path, right: list[bool]) -> tuple[Path, Callable[[], object]]:
    path = folder / "eval_results_table.json"
    columns = ["inputs", "targets", "outputs", "exact_match/v1/score"]
    data = [[question(i), str(i), str(i), float(ok)] for i, ok in enumerate(right)]
    return path, document(path, {"columns": columns, "data": data})


def pytest(folder: Path, right: list[bool]) -> tuple[Path, Callable[[], object]]:
    path = folder / "junit.xml"
    cases = (
        f'<testcase classname="t" name="test[{i}]">{"" if ok else "<failure/>"}</testcase>'
        for i, ok in enumerate(right)
    )
    path.write_text(f'<testsuite name="pytest">{"".join(cases)}</testsuite>')
    return path, lambda: expat.ParserCreate().Parse(path.read_bytes(), True)


def json_lines(folder: Path, right: list[bool]) -> tuple[Path, Callable[[], object]]:
    path = folder / "run.jsonl"
    rows = ({"id": f"q{i}", "question": question(i), "correct": ok} for i, ok in enumerate(right))
    return path, lines(path, rows)


def plain_csv(folder: Path, right: list[bool]) -> tuple[Path, Callable[[], object]]:
    path = folder / "run.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "question", "correct"])
        writer.writerows([f"q{i}", question(i), int(ok)] for i, ok in enumerate(right))
    return path, lambda: list(csv.reader(path.open(newline="")))


FORMATS = (
    *(inspect_ai, lm_eval, promptfoo, deepeval, openai_evals, helm, mlflow, pytest, json_lines),
    plain_csv,
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=100_000)
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    rng = random.Random(0)
    right = [rng.random() < 0.9 for _ in range(options.samples)]
    print(f"{options.samples:,} samples, from the log to the certificate (goal {GOAL:g} s)")
    for write in FORMATS:
        with tempfile.TemporaryDirectory() as folder:
            path, parse = write(Path(folder), right)

            def certify(path: Path = path) -> None:
                certificate = read_eval(path).certificate()
                assert certificate.claims[0].inputs["errors"] == right.count(False)

            best = race({"ours": certify, "parsed": parse}, options.repeat)
            met = "met" if best["ours"] <= GOAL else "MISSED"
            name = write.__name__.replace("_", " ")
            print(
                f"{name:14} certify {best['ours']:.2f} s {met}  parse {best['parsed']:.2f} s  "
                f"ratio {best['ours'] / best['parsed']:.1f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
