"""OpenAI evals: its `Match`, run and recorded by its own recorder; a database that it would import is left out."""

import json
import sys
from pathlib import Path

import absent  # noqa: F401  (before evals)
import evals
from adder import ANSWERS, QUESTIONS, add
from evals.base import RunSpec
from evals.elsuite.basic.match import Match
from evals.record import LocalRecorder


class Said(evals.CompletionResult):
    def __init__(self, text):
        self.text = text

    def get_completions(self):
        return [self.text]


def adder(prompt, **more):
    text = add(prompt[-1]["content"])
    evals.record.record_sampling(prompt=prompt, sampled=[text])
    return Said(text)


folder = Path(sys.argv[1])
samples = folder / "samples.jsonl"
rows = zip(QUESTIONS, ANSWERS, strict=True)
samples.write_text(
    "".join(
        json.dumps({"input": [{"role": "user", "content": q}], "ideal": a}) + "\n" for q, a in rows
    )
)
spec = RunSpec(["adder"], "sums.dev.v0", "sums", "dev", {"completion_fns": ["adder"]}, "")
recorder = LocalRecorder(str(folder / "openai_evals.jsonl"), spec)
made = Match([adder], str(samples), name="sums.dev", eval_registry_path=folder)
recorder.record_final_report(made.run(recorder))
recorder.flush_events()
samples.unlink()
