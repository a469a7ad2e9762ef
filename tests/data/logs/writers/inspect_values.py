"""Inspect AI: scorers that give words, truth values, several values at once, and none."""

import json
import sys
from pathlib import Path

from adder import ANSWERS, QUESTIONS, add
from inspect_ai import Task
from inspect_ai import eval as evaluate
from inspect_ai.dataset import Sample
from inspect_ai.model import GenerateConfig, ModelAPI, ModelOutput, get_model, modelapi
from inspect_ai.scorer import Score, accuracy, mean, scorer
from inspect_ai.solver import generate


@modelapi(name="adder")
class Adder(ModelAPI):
    def __init__(self, model_name, base_url=None, api_key=None, config=None, **more):
        super().__init__(model_name, base_url, api_key, [], config or GenerateConfig())

    async def count_tokens(self, *arguments, **more):
        return 1

    async def generate(self, input, tools, tool_choice, config):
        return ModelOutput.from_content(self.model_name, add(input[-1].text))


def scoring(name, value, metrics):
    @scorer(name=name, metrics=metrics)
    def made():
        async def score(state, target):
            given = value(state.output.completion, target.text)
            return None if given is None else Score(value=given)

        return score

    return made()


SCORERS = [
    scoring("words", lambda said, true: "yes" if said == true else "no", [accuracy()]),
    scoring("truths", lambda said, true: said == true, [accuracy()]),
    scoring("colours", lambda said, true: "blue", [mean()]),
    scoring("short", lambda said, true: 1.0 if len(said) < 2 else 0.25, [mean()]),
    scoring(
        "several",
        lambda said, true: {"right": "C" if said == true else "I", "polite": 0.5},
        {"right": [accuracy()], "polite": [mean()]},
    ),
    scoring("sometimes", lambda said, true: None if said == "7" else "C", [accuracy()]),
]
SAMPLES = [
    Sample(id=f"q{i}", input=question, target=answer)
    for i, (question, answer) in enumerate(zip(QUESTIONS, ANSWERS, strict=True), start=1)
]
task = Task(dataset=SAMPLES, solver=[generate()], scorer=SCORERS, name="sums")
folder = Path(sys.argv[1])
evaluate(
    task,
    model=get_model("adder/plain"),
    limit=6,
    log_dir=str(folder),
    log_format="json",
    display="none",
)
[written] = folder.glob("*.json")
log = json.loads(written.read_text())
for name in ("events", "messages", "output", "model_usage", "attachments", "timelines"):
    for sample in log["samples"]:
        sample.pop(name, None)
for name in ("stats", "plan", "reductions"):
    log.pop(name, None)
for name in ("packages", "revision", "task_file"):
    log["eval"].pop(name, None)
(folder / "inspect_values.json").write_text(json.dumps(log, indent=1) + "\n")
written.unlink()
