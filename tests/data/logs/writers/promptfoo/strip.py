"""Takes out of promptfoo.jsonl what no reader needs: token counts, costs, times and what judges said at length."""

import json
import sys
from pathlib import Path

path = Path(sys.argv[1])
rows = [json.loads(line) for line in path.read_text().splitlines()]
for row in rows:
    for name in ("tokenUsage", "cost", "latencyMs", "metadata", "gradingResult", "id", "promptId"):
        row.pop(name, None)
path.write_text("".join(json.dumps(row) + "\n" for row in rows))
