"""Writes ``vw.txt`` by Vowpal Wabbit's own writer, and says whether Vowpal Wabbit reads the other fixtures alike.

python tests/data/decisions/writers/vw.py tests/data/decisions/fixtures
"""

import json
import sys
from pathlib import Path

ROUNDS = {
    "action": [2, 1, 3, 2],
    "cost": [0.0, 1.0, 0.5, 1.0],
    "chance": [0.5, 0.25, 0.25, 0.5],
    "age": [0.25, 0.5, 0.75, 1.0],
    "city": ["Bonn", "Ulm", "Bonn", "Jena"],
}


def write(folder):
    import pandas as pd
    from vowpalwabbit.dftovw import ContextualbanditLabel, DFtoVW, Feature, Namespace

    rounds = pd.DataFrame(ROUNDS)
    features = [Namespace([Feature("age"), Feature("city")], name="user")]
    label = ContextualbanditLabel("action", "cost", "chance")
    lines = DFtoVW(df=rounds, label=label, namespaces=features).convert_df()
    (folder / "vw.txt").write_text("\n".join(lines) + "\n")


def labels(workspace, examples):
    """Of each round: which line is labelled, its cost and probability, and how many features the lines have."""
    found = []
    for block in examples:
        parsed = workspace.parse("\n".join(block))
        for at, one in enumerate(parsed):
            label = one.get_label()
            costs = [] if label is None else getattr(label, "costs", [])
            if costs:
                found.append((at, round(costs[0].cost, 4), round(costs[0].probability, 4)))
        workspace.finish_example(parsed)
    return found


def main():
    from vowpalwabbit import Workspace

    folder = Path(sys.argv[1])
    write(folder)
    print((folder / "vw.txt").read_text())
    blocks = [b.split("\n") for b in (folder / "vw_adf.txt").read_text().strip().split("\n\n")]
    workspace = Workspace("--cb_explore_adf --quiet")
    print(labels(workspace, blocks))
    workspace.finish()
    for name in ("personalizer.dsjson", "slots.dsjson"):
        kind = "--ccb_explore_adf" if name == "slots.dsjson" else "--cb_explore_adf"
        workspace = Workspace(f"{kind} --dsjson -d {folder / name} --quiet")
        print(name, workspace.get_sum_loss(), workspace.get_weighted_examples())
        workspace.finish()
    print(len([json.loads(line) for line in (folder / "personalizer.dsjson").open()]))


if __name__ == "__main__":
    main()
