"""The figure of `architecture.rst`: the rooms as the import contract of `pyproject.toml` has them, top to bottom.

``python docs/rooms.py`` writes ``docs/rooms.svg`` anew.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

DOCS = Path(__file__).parent
WIDTH, BOX, GAP = 760, 34, 12


def layers() -> list[list[str]]:
    """The rooms of each layer; what stands in brackets there need not exist yet."""
    settings = tomllib.loads((DOCS.parent / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    [contract] = [
        contract
        for contract in contracts
        if contract["type"] == "layers" and contract["containers"] == ["assay"]
    ]
    rooms = [[name.strip() for name in layer.split("|")] for layer in contract["layers"]]
    return [
        [
            name.strip("()")
            for name in row
            if (DOCS.parent / "src/assay" / name.strip("()")).exists()
            or (DOCS.parent / "src/assay" / f"{name.strip('()')}.py").exists()
        ]
        for row in rooms
    ]


def svg() -> str:
    """A box for each room, a row for each layer: imports point down."""
    rows = [row for row in layers() if row]
    height = len(rows) * (BOX + GAP) + GAP
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
        'font-family="sans-serif" font-size="14">',
        "<title>The rooms of assay: each imports only from rooms below it</title>",
    ]
    for place, row in enumerate(rows):
        y = GAP + place * (BOX + GAP)
        width = (WIDTH - GAP * (len(row) + 1)) / len(row)
        for i, room in enumerate(row):
            x = GAP + i * (width + GAP)
            middle = f'x="{x + width / 2:.0f}" y="{y + BOX / 2 + 5:.0f}" text-anchor="middle"'
            parts.append(
                f'<rect x="{x:.0f}" y="{y}" width="{width:.0f}" height="{BOX}" rx="5" fill="#eef3f8" stroke="#4b6a88"/>'
                f'<text {middle} fill="#1d2f40">{room}</text>'
            )
    return "\n".join([*parts, "</svg>"]) + "\n"


if __name__ == "__main__":
    (DOCS / "rooms.svg").write_text(svg(), encoding="utf-8")
