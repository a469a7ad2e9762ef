"""A step of a job in CI: what the environment names is certified, compared or verified, and told to those who go on.

Everything is read from variables called ``ASSAY_...`` and handed to the command as a list of words: no shell reads it.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.gates.names import certificate_name
from assay.guarantees.printable import printable, show_all_on

_COMMAND = (sys.executable, "-c", "from assay.cli.app import main; main()")
# How a file is read, whether it is certified or compared.
_READ = ("truth", "prediction", "metric", "task", "model", "unit")
_NUMBER = re.compile(r"[-+0-9.eE]{1,400}")


@dataclass(frozen=True)
class Result:
    """What one command came to.

    Attributes
    ----------
    name : str
        The file, or files.
    code : int
        0 where it passed, 1 where it did not, 2 where it could not be asked.
    promised, observed : str
        Decimal text; empty where there is none.
    at_least : bool
        Whether more is better.
    """

    name: str
    code: int
    promised: str = ""
    observed: str = ""
    at_least: bool = False

    @property
    def worth(self) -> float:
        """What orders results from the one that promises least."""
        if not self.promised:
            return -float("inf")
        return float(self.promised) if self.at_least else -float(self.promised)


def commands(given: Mapping[str, str]) -> Iterator[tuple[str, list[str]]]:
    """The files of each command, and its words.

    Examples
    --------
    >>> [*commands({"ASSAY_FILES": "a.csv", "ASSAY_TRUTH": "label; rm -rf /", "ASSAY_MAX_ERROR": "0.05"})]
    [('a.csv', ['certify', '--truth=label; rm -rf /', '--max-error=0.05', '--json', '--', 'a.csv'])]
    """
    files = [line.strip() for line in given.get("ASSAY_FILES", "").splitlines() if line.strip()]
    baseline = given.get("ASSAY_BASELINE", "")
    if baseline:
        name = ", ".join(files)
        words = ["compare", *_options(given, "on", *_READ, "delta")]
        words += _options(given, "max-regression") or ["--better"]
        yield name, [*words, *_ledger(given, True), *_written(given, name), baseline, *files]
        return
    for file in files:
        if file.endswith(".cert.json"):
            held = _options(given, "max-error") and _options(given, "max-error", "delta")
            yield file, ["verify", *_options(given, "ledger"), *held, *_written(given), file]
            continue
        words = ["certify", *_options(given, *_READ, "max-error", "delta"), *_groups(given)]
        words += _ledger(given, bool(given.get("ASSAY_MAX_ERROR")))
        yield file, [*words, *_written(given, file), file]


def _options(given: Mapping[str, str], *names: str) -> list[str]:
    values = {name: given.get(f"ASSAY_{name.upper().replace('-', '_')}", "") for name in names}
    return [f"--{name}={value}" for name, value in values.items() if value]


def _groups(given: Mapping[str, str]) -> list[str]:
    """Columns of groups, one a line, every one of which must pass."""
    columns = [line.strip() for line in given.get("ASSAY_BY", "").splitlines() if line.strip()]
    return [*(f"--by={column}" for column in columns), *(["--every-group"] if columns else [])]


def _ledger(given: Mapping[str, str], gated: bool) -> list[str]:
    """The ledger, of which a gate is told one bit."""
    named = _options(given, "ledger")
    return [*named, "--answer=pass-fail"] if named and gated else named


def _written(given: Mapping[str, str], name: str = "") -> list[str]:
    summary, out = given.get("GITHUB_STEP_SUMMARY"), given.get("ASSAY_OUT")
    words = [f"--summary={summary}"] if summary else []
    if out and name:
        words.append(f"--out={Path(out, certificate_name(name))}")
    return [*words, "--json", "--"]


def run(name: str, words: Sequence[str]) -> Result:
    """Run a command; what it refuses is told on standard error by itself."""
    utf8 = os.environ | {"PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        [*_COMMAND, *words], stdout=subprocess.PIPE, encoding="utf-8", env=utf8, check=False
    )
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        answer = {}
    return _read(name, done.returncode, answer if isinstance(answer, dict) else {})


def _read(name: str, code: int, answer: Mapping[str, Any]) -> Result:
    if "models" in answer:
        results = [
            Result(name, code, _number(one["promised"]), _number(one["observed"]), True)
            for one in answer["models"]
        ]
        return min(results, key=lambda result: result.worth)
    claims = answer.get("certificate", {}).get("claims", [{}])
    at_least = claims[0].get("direction") == "at least"
    return Result(
        name, code, _number(answer.get("promised")), _number(answer.get("observed")), at_least
    )


def _number(value: Any) -> str:
    return value if isinstance(value, str) and _NUMBER.fullmatch(value) else ""


def main() -> None:
    """Run every command, write the outputs of the step, and end with the worst exit code."""
    show_all_on(sys.stdout)
    out = os.environ.get("ASSAY_OUT")
    if out:
        Path(out).mkdir(parents=True, exist_ok=True)
    results = [run(name, words) for name, words in commands(os.environ)]
    if not results:
        print("assay: files must name at least one file.", file=sys.stderr)
        sys.exit(2)
    for result in results:
        numbers = f", promised {result.promised}" if result.promised else ""
        numbers += f", observed {result.observed}" if result.observed else ""
        print(f"{'FAIL' if result.code else 'PASS'} {printable(result.name)}{numbers}")
    worst = min(results, key=lambda result: result.worth)
    passed = all(result.code == 0 for result in results)
    target = os.environ.get("GITHUB_OUTPUT")
    if target:
        with open(target, "a", encoding="utf-8") as file:
            file.write(f"promised={worst.promised}\nobserved={worst.observed}\n")
            file.write(f"passed={'true' if passed else 'false'}\n")
    sys.exit(max(abs(result.code) for result in results))


if __name__ == "__main__":
    main()
