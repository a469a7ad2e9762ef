"""What a report tells, as plain values: it is filled by the commands and drawn by `html_report`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from assay.certificates.certificate import Certificate
from assay.guarantees.guarantee import Guarantee

if TYPE_CHECKING:
    import plotly.graph_objects as go


@dataclass(frozen=True)
class Source:
    """A file or table that was used, and for what."""

    name: str
    role: str = ""
    rows: int | None = None
    columns: int | None = None
    digest: str = ""


@dataclass(frozen=True)
class Model:
    """What was learned."""

    learner: str
    parameters: Mapping[str, str] = field(default_factory=dict)
    classes: tuple[str, ...] = ()
    digest: str = ""


@dataclass(frozen=True)
class Prepared:
    """What became of one column before anything was learned from it."""

    column: str
    kind: str = ""
    becomes: str = ""
    missing: str = ""


@dataclass(frozen=True)
class Candidate:
    """A learner that was tried.

    Attributes
    ----------
    learner : str
        Its name.
    error : float or None
        The rate of errors that was seen.
    promised : float, decimal text or None
        The rate that may be promised; it is shown rounded up.
    seconds : float or None
        How long it took to learn.
    chosen : bool
        Whether it is the one that was taken.
    remark : str
        Anything else a reader should know, such as why there is no number.
    memory : int or None
        The most memory it took, in bytes.
    off : float or None
        How far off it was on average, where a quantity was predicted.
    shown : str
        What may be promised, where that is no rate.
    behind : str
        Between which numbers of points its error is promised to be above that of the best.
    """

    learner: str
    error: float | None = None
    promised: float | str | None = None
    seconds: float | None = None
    chosen: bool = False
    remark: str = ""
    memory: int | None = None
    off: float | None = None
    shown: str = ""
    behind: str = ""

    @property
    def judged(self) -> bool:
        """Whether there is a number for it."""
        return self.error is not None or self.off is not None


@dataclass(frozen=True)
class Concern:
    """One thing that can go wrong, and whether anything was found.

    Attributes
    ----------
    topic : str
        What was looked at, such as the order of the rows.
    sentence : str
        What was found, or that nothing was.
    raised : bool
        Whether a reader should look.
    """

    topic: str
    sentence: str
    raised: bool = True


@dataclass(frozen=True)
class ClassErrors:
    """How one class fared on the held-out rows.

    Attributes
    ----------
    label : str
        The class.
    rows, wrong : int
        How many held-out rows are of it, and how many of these were predicted to be of another.
    taken_for : str
        The class that it was mostly taken for; empty where none of its rows is wrong.
    promised : decimal text or None
        The error rate that may be promised for its rows.
    """

    label: str
    rows: int
    wrong: int
    taken_for: str = ""
    promised: str | None = None


@dataclass(frozen=True)
class Panel:
    """A figure with its heading, what it shows, and the same for those who cannot see it."""

    title: str
    figure: go.Figure | Any
    caption: str = ""
    alt: str = ""


@dataclass(frozen=True)
class Story:
    """Everything a report tells, in the order in which it tells it.

    Attributes
    ----------
    title : str
        What the report is about.
    summary : tuple of str
        The story in a few sentences, each a paragraph.
    sources : tuple of Source
        The data.
    model : Model or None
        What was learned.
    preparation : tuple of Prepared
        What became of the columns.
    candidates : tuple of Candidate
        The learners that were tried.
    tested : tuple of str
        How the model was tested, each a paragraph.
    concerns : tuple of Concern
        What can go wrong, told before anything else.
    classes : tuple of ClassErrors
        How each class fared.
    baseline : str
        How a model fares that looks at nothing.
    certificate : Certificate or None
        What may be promised about new rows; its first claim is the headline.
    guarantees : tuple of Guarantee
        What theorems say about the fit.
    panels : tuple of Panel
        The figures.
    verify : tuple of str
        Commands by which a reader checks the report.
    notes : tuple of str
        Whatever remains to be said.

    Examples
    --------
    >>> Story("Spam filter").certificate is None
    True
    """

    title: str
    summary: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()
    model: Model | None = None
    preparation: tuple[Prepared, ...] = ()
    candidates: tuple[Candidate, ...] = ()
    tested: tuple[str, ...] = ()
    certificate: Certificate | None = None
    guarantees: tuple[Guarantee, ...] = ()
    panels: tuple[Panel, ...] = ()
    verify: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    concerns: tuple[Concern, ...] = ()
    classes: tuple[ClassErrors, ...] = ()
    baseline: str = ""
