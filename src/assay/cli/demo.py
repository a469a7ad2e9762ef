"""``assay demo``: the whole story in a minute, on real data that comes with the library."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import typer

from assay.cli.output import steps
from assay.errors import BadData

if TYPE_CHECKING:
    from assay.report.story import Panel
    from assay.tables.fit import FittedTable

# In an installed package, and in a checkout of the sources.
_PLACES = (Path(__file__).parents[1] / "shipped", Path(__file__).parents[3] / "examples" / "data")


def demo_command(
    out: Path = typer.Option(
        Path("assay-demo"), "--out", help="The folder for model, certificate and report."
    ),
) -> None:
    """Learn a spam filter and a price forecast, with promises.

    Example: assay demo
    """
    spam, prices = shipped("spambase"), shipped("elec2")
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise BadData(f"{out} cannot be made: {problem.strerror or problem}.") from None
    fitted = _spam_filter(spam, out)
    _verified(out)
    _forged(out)
    panel = _stream(prices)
    _planned()
    _reported(fitted, panel, out)


def shipped(name: str) -> Path:
    """A table that comes with the library."""
    for place in _PLACES:
        if (place / f"{name}.parquet").is_file():
            return place / f"{name}.parquet"
    raise BadData(f"The data set {name} did not come with this installation of assay.")


def _heading(text: str) -> None:
    typer.echo(f"\n{text}\n{'-' * len(text)}")


def _spam_filter(path: Path, out: Path) -> FittedTable:
    from assay.report.story_text import story_text
    from assay.tables.fit import fit_table
    from assay.tables.story import story_of

    _heading("1. A spam filter from 4,601 e-mails, and what may be promised about it")
    with steps() as say, _compiled_beside(path):
        fitted = fit_table(path, "target", order="none", progress=say).save(out / "spam.assay")
    fitted.certificate.save(out / "spam.cert.json")
    typer.echo(story_text(story_of(fitted)))
    return fitted


@contextmanager
def _compiled_beside(path: Path) -> Iterator[None]:
    """On a new machine loops are compiled once, which this lets a second core help with.

    Another process lets the candidates learn, the last one first; what it has compiled is on disk when this
    process comes to it.
    """
    command = f"from assay.cli.demo import learn_backwards; learn_backwards({str(path)!r})"
    quiet = subprocess.DEVNULL
    helper = subprocess.Popen([sys.executable, "-c", command], stdout=quiet, stderr=quiet)
    try:
        yield
    finally:
        helper.kill()
        helper.wait()


def learn_backwards(path: str) -> None:
    """Let every candidate learn a table, the last one first."""
    import warnings

    from assay import read_table
    from assay.tables.candidates import CANDIDATES

    warnings.simplefilter("ignore")
    examples = read_table(path, target="target")
    assert examples.y is not None
    for candidate in reversed(CANDIDATES):
        candidate.make().fit(examples.X[::2], examples.y[::2])


def _verified(out: Path) -> None:
    from assay.certificates.verify.verify import verify
    from assay.report.text import verification_text

    _heading("2. Anyone can check it, without the model and without the e-mails")
    typer.echo(verification_text(verify(out / "spam.cert.json")))


def _forged(out: Path) -> None:
    from assay.certificates.certificate import Certificate
    from assay.certificates.verify.verify import verify
    from assay.report.text import verification_text

    _heading("3. A forged certificate is refused")
    document = (out / "spam.cert.json").read_text(encoding="utf-8")
    promised = Certificate.from_json(document).claims[0].promised_text or ""
    typer.echo(f"Someone writes 0.01 where it says {promised}:")
    with TemporaryDirectory() as folder:
        forged = Path(folder, "forged.json")
        forged.write_text(document.replace(promised, "0.01"), encoding="utf-8")
        typer.echo(verification_text(verify(forged)))


def _stream(path: Path) -> Panel | None:
    """Learn a stream one row after the other; what there is to see of it, if it can be drawn."""
    import numpy as np

    from assay import Perceptron, play, read_table
    from assay.data import RunningScale
    from assay.errors import MissingExtra
    from assay.report.blocks import block
    from assay.report.story import Panel

    _heading(
        "4. A stream: 45,312 half-hours of electricity prices, each predicted before it is learned"
    )
    examples = read_table(path, target="target")
    scaled = RunningScale().transform(examples.X)
    assert examples.y is not None
    learner = Perceptron()
    missed = play(learner, scaled, examples.y, trace=True).missed
    assert missed is not None
    wrong, rows = int(np.count_nonzero(missed)), len(examples)
    same = int(np.count_nonzero(examples.y[1:] != examples.y[:-1]))
    summary = [
        f"{wrong:,} of {rows:,} wrong ({wrong / rows:.1%}); to say each time what the price did last would have been "
        f"wrong {same:,} times."
    ]
    for line in block("Seen", summary):
        typer.echo(line)
    for line in block("Theorems", [str(g) for g in learner.guarantees()], fold=False):
        typer.echo(line)
    try:
        from assay.report.figures.mistakes import error_over_rounds

        figure = error_over_rounds(missed)
    except MissingExtra:
        return None
    caption = (
        "Electricity prices of New South Wales, half-hour by half-hour: whether the price will rise, predicted before "
        "each truth is learned. The share of mistakes so far, under a bound that holds at every moment at once."
    )
    return Panel("A second story: a stream, learned row by row", figure, caption)


def _planned() -> None:
    from assay.certificates.issue.plan import plan
    from assay.report.text import plan_text

    _heading("5. How many e-mails to label next time, to promise 5 %")
    typer.echo(plan_text(plan(error=0.05, delta=0.05, expected=0.02, power=0.9)))


def _reported(fitted: FittedTable, panel: Panel | None, out: Path) -> None:
    from assay.report.html_report import save_report
    from assay.tables.story import story_of

    story = story_of(
        fitted, model=out / "spam.assay", certificate=out / "spam.cert.json", figures=True
    )
    story = replace(story, title="A spam filter, and what may be promised about it")
    if panel is not None:
        story = replace(story, panels=(*story.panels, panel))
    save_report(story, out / "report.html")
    _heading("6. All of it on one page")
    typer.echo(f"Open {out / 'report.html'} in a browser. It needs no network.")
    typer.echo(f"Check it again with: assay verify {out / 'spam.cert.json'}")
