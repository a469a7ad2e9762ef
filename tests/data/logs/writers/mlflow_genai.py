"""MLflow: `mlflow.genai.evaluate`, of which the trace itself and where it ran are taken out."""

import json
import os
import sys
from pathlib import Path

os.environ["MLFLOW_DISABLE_TELEMETRY"] = "true"
import mlflow
from adder import ANSWERS, QUESTIONS, add
from mlflow.entities import Feedback

folder = Path(sys.argv[1])
mlflow.set_tracking_uri(f"sqlite:///{folder}/mlflow.db")


@mlflow.genai.scorer
def right(outputs, expectations):
    return outputs == expectations["expected_response"]


@mlflow.genai.scorer
def short(outputs):
    return 1.0 if len(outputs) < 2 else 0.25


@mlflow.genai.scorer
def judged(outputs):
    return Feedback(value="no" if outputs == "7" else "yes")


rows = [
    {"inputs": {"question": q}, "outputs": add(q), "expectations": {"expected_response": a}}
    for q, a in zip(QUESTIONS, ANSWERS, strict=True)
]
result = mlflow.genai.evaluate(data=rows, scorers=[right, short, judged])
table = json.loads(result.result_df.to_json(orient="records", default_handler=str))
for row in table:
    for name in ("trace", "spans", "tags", "trace_metadata"):
        row.pop(name)
    for one in row["assessments"]:
        one.pop("metadata", None)
        one["source"].pop("source_id")
(folder / "mlflow_genai.json").write_text(json.dumps(table, indent=1) + "\n")
