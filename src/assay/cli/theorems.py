"""``assay theorems``: the catalogue."""

from __future__ import annotations

import typer

from assay.cli.output import JsonFlag, print_json


def theorems_command(
    id: str | None = typer.Argument(None, help="Show one theorem, by id or number, such as T01."),
    kind: str | None = typer.Option(
        None, "--kind", help="Only theorems of this kind, such as mistakes or error."
    ),
    all_of_it: bool = typer.Option(False, "--all", help="Also show where each theorem is used."),
    as_json: bool = JsonFlag,
) -> None:
    """List the theorems: what each bounds, needs and assumes.

    Example: assay theorems perceptron-margin-mistakes
    """
    from assay.errors import UnknownName
    from assay.theory.registry import find_theorem, theorems

    if id is not None:
        wanted = find_theorem(id)
        if all_of_it:
            wanted = next(entry for entry in theorems(all=True) if entry.id == wanted.id)
        entry = wanted.describe()
        if as_json:
            print_json(entry)
        else:
            typer.echo("\n".join(_lines(entry)))
        return
    listed = theorems(all=all_of_it)
    if kind is not None:
        kinds = sorted({t.kind for t in listed})
        listed = [t for t in listed if t.kind == kind]
        if not listed:
            raise UnknownName(f"--kind must be one of {', '.join(kinds)}, but is {kind!r}.")
    if as_json:
        print_json({"theorems": [t.describe() for t in listed]})
        return
    width = max(len(t.id) for t in listed)
    for t in listed:
        told = t.source if t.used_in is None else ", ".join(t.used_in)
        typer.echo(f"{t.number or '-':<4} {t.id:<{width}}  {t.kind:<14} {t.holds:<12} {told}")


def _lines(entry: dict[str, object]) -> list[str]:
    assumes = entry["assumes"]
    assert isinstance(assumes, list)
    used = entry.get("used_in", [])
    assert isinstance(used, list)
    return [
        f"{entry['id']}  {entry['number']}".rstrip(),
        f"  bounds   {entry['kind']}",
        f"  holds    {entry['holds']}",
        f"  says     {entry['statement']}",
        f"  needs    {entry['needs']}",
        *(f"  assumes  {line}" for line in assumes),
        f"  source   {entry['source']}",
        *(f"  used in  {module}" for module in used),
    ]
