"""The gate of a test: what it is asked becomes a certificate, and a failure where that does not promise enough."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import closing, nullcontext
from dataclasses import dataclass, field
from functools import partial, wraps
from pathlib import Path
from typing import Any, NoReturn, ParamSpec

from assay.certificates.certificate import Certificate
from assay.certificates.issue.certify import certify, certify_evidence
from assay.certificates.issue.difference import certify_difference
from assay.certificates.issue.eval_log import read_eval
from assay.certificates.issue.gate import Gate, difference_gate, error_gate
from assay.certificates.ledger.entry import Entry
from assay.certificates.ledger.ledger import Ledger
from assay.certificates.show.gate_words import gate_reason
from assay.certificates.verify.verify import verify
from assay.errors import AssayError, CertificateRefused, require
from assay.gates.looks import Look
from assay.gates.names import certificate_name
from assay.guarantees.decimals import delta_text
from assay.theory.needs import real
from assay.theory.rounding import Number

_P = ParamSpec("_P")


class GateFailed(AssertionError):
    """What was wanted cannot be promised."""


def _raise(sentence: str) -> NoReturn:
    raise GateFailed(sentence)


def _refused_in_the_test(ask: Callable[_P, Certificate]) -> Callable[_P, Certificate]:
    """What a test gives wrongly is told in a sentence, at its own line: where we found out would bury that."""

    @wraps(ask)
    def asked(*args: _P.args, **terms: _P.kwargs) -> Certificate:
        __tracebackhide__ = True
        try:
            return ask(*args, **terms)
        except AssayError as refusal:
            wrong = refusal
        raise wrong.with_traceback(None)

    return asked


@dataclass
class GateRun:
    """What the gates of a run share.

    Attributes
    ----------
    ledger : Path or None
        The file in which looks at holdouts are kept.
    delta : str
        The probability that a promise fails, where a gate does not say its own.
    out : Path or None
        The folder that certificates are written to.
    closed : dict
        Which gates have failed without a ledger, by test and place, with the digest of the certificate or the refusal.
    """

    ledger: Path | None = None
    delta: str = "0.05"
    out: Path | None = None
    closed: dict[tuple[str, int], str] = field(default_factory=dict)


class _Book(Ledger):
    """A ledger that remembers the look that was charged last."""

    last: Entry | None = None

    def charge(self, *args: Any, **terms: Any) -> Entry:
        self.last = super().charge(*args, **terms)
        return self.last


class AssayGate:
    """What a test asks of a model: the fixture ``assay_gate``.

    Parameters
    ----------
    run : GateRun
        What it shares with the other gates of the run.
    test : str
        The name of the test.
    fail : callable, optional
        What ends the test with a sentence; `GateFailed` is raised when not given.

    Attributes
    ----------
    looks : list of Look
        What was asked up to now.

    Examples
    --------
    >>> gate = AssayGate(GateRun(), "test_spam.py::test_error")
    >>> gate(errors=30, rows=1000, max_error=0.05).error
    0.04047223728086624
    >>> gate(errors=30, rows=1000, max_error=0.04)
    Traceback (most recent call last):
        ...
    assay.gates.gate.GateFailed: An error of at most 0.04 cannot be promised. The chance that a new row is wrong is \
at most 4.05 %, with 95 % confidence. 30 of 1,000 rows are wrong (3 %).
    """

    def __init__(self, run: GateRun, test: str, fail: Callable[[str], object] = _raise) -> None:
        self._run, self._test, self._fail = run, test, fail
        self._place = 0
        self.looks: list[Look] = []

    @_refused_in_the_test
    def __call__(
        self,
        model: Any = None,
        X: Any = None,
        y: Any = None,
        *,
        max_error: Number,
        delta: Number | None = None,
        **terms: Any,
    ) -> Certificate:
        """Fail unless an error of at most `max_error` can be promised.

        Parameters
        ----------
        model, X, y : optional
            A fitted model and its holdout.
        max_error : number or decimal text
            The largest error that may be promised.
        delta : number or decimal text, optional
            The probability that the promise fails; that of the run when not given.
        **terms
            What else `assay.certify` takes: ``y_true`` and ``y_pred``, ``loss``, ``errors`` and ``rows``. With a ledger
            the answer is pass or fail, unless ``answer="exact"`` is asked for.

        Returns
        -------
        Certificate
        """
        return self._errors(certify, (model, X, y), max_error, delta, terms)

    @_refused_in_the_test
    def log(
        self,
        path: str | os.PathLike[str],
        *,
        max_error: Number,
        delta: Number | None = None,
        metric: str | None = None,
        task: str | None = None,
        model: str | None = None,
        unit: Any = None,
        unscored: Any = "refuse",
        **terms: Any,
    ) -> Certificate:
        """Fail unless the evaluation log of a model lets an error of at most `max_error` be promised.

        Parameters
        ----------
        path : path
            The log, as `assay.read_eval` reads it.
        max_error, delta
            As for predictions.
        metric, task, model, unit, unscored
            As in `assay.EvalLog.evidence`.
        **terms
            What else `assay.certify` takes, such as ``fixed_before`` and ``holdout``.
        """
        log = read_eval(path).select(task=task, model=model)
        exact = terms.get("method") == "exact"
        evidence = log.evidence(metric, unit=unit, unscored=unscored, exact=exact)
        terms.setdefault("drawn", log.provenance(metric))
        return self._errors(certify_evidence, (evidence,), max_error, delta, terms)

    @_refused_in_the_test
    def difference(
        self,
        model: Any = None,
        X: Any = None,
        y: Any = None,
        *,
        at_least: Number = 0,
        delta: Number | None = None,
        **terms: Any,
    ) -> Certificate:
        """Fail unless the new model can be promised to be better than the old one by `at_least`.

        Parameters
        ----------
        model, X, y : optional
            The new model, fitted, and its holdout.
        at_least : number or decimal text, default=0
            By how much it must be better; below zero it may be a little worse.
        delta : number or decimal text, optional
            The probability that the promise fails; that of the run when not given.
        **terms
            What else `assay.certify_difference` takes: ``baseline``, ``y_true`` and ``y_pred``, ``unit``. Of several
            models each must pass.
        """
        must = "left out of a gate: at_least says by how much"
        for name in ("margin", "promise"):
            require(name not in terms, name, must, terms.get(name))
        wanted = real("at_least", at_least).low
        by_rows = terms.get("unit") is None and terms.get("loss") is None
        if wanted == 0 and by_rows:
            terms["promise"] = "better"  # which takes fewer rows
        elif wanted <= 0:
            terms["margin"] = -wanted
        if self._run.ledger is not None:
            terms.setdefault("answer", "exact" if wanted > 0 else "pass-fail")
        judge = partial(difference_gate, at_least=at_least)
        return self._ask(certify_difference, (model, X, y), judge, delta, terms)

    @_refused_in_the_test
    def certificate(
        self,
        certificate: Certificate | str | os.PathLike[str],
        *,
        max_error: Number | None = None,
        at_least: Number | None = None,
        delta: Number | None = None,
    ) -> Certificate:
        """Fail unless a certificate that is there adds up, and promises what is wanted.

        Parameters
        ----------
        certificate : Certificate or path
            A certificate, such as that of a model that was learned.
        max_error : number or decimal text, optional
            The largest error that it may promise.
        at_least : number or decimal text, optional
            The smallest difference that it may promise.
        delta : number or decimal text, optional
            The probability with which it may fail at most; that of the run when not given.
        """
        verification = verify(certificate)
        if not verification.ok:
            sentence = f"{verification.conclusion.splitlines()[-1]} {verification.reason}".rstrip(
                "."
            )
            self._tell(False, f"{sentence}.", "0")
        made = (
            certificate if isinstance(certificate, Certificate) else Certificate.load(certificate)
        )
        spent = made.document["delta"]["total"]
        allowed = self._run.delta if delta is None else delta
        if max_error is not None:
            return self._judged(error_gate(made, max_error, delta=allowed), made, spent)
        if at_least is not None:
            return self._judged(difference_gate(made, at_least, delta=allowed), made, spent)
        self._tell(True, verification.conclusion.splitlines()[-1], spent)
        return made

    def _errors(
        self,
        issue: Callable[..., Certificate],
        given: tuple[Any, ...],
        max_error: Number,
        delta: Number | None,
        terms: dict[str, Any],
    ) -> Certificate:
        """A certificate of errors, of which one bit is told where there is a ledger."""
        told = terms.setdefault("answer", "exact" if self._run.ledger is None else "pass-fail")
        if told == "pass-fail":
            terms["max_error"] = max_error
        judge = partial(error_gate, max_error=max_error)
        return self._ask(issue, given, judge, delta, terms)

    def _ask(
        self,
        issue: Callable[..., Certificate],
        given: tuple[Any, ...],
        judge: Callable[[Certificate], Gate],
        delta: Number | None,
        terms: dict[str, Any],
    ) -> Certificate:
        """A certificate, charged where there is a ledger, and held to its limit."""
        must = "left out of a gate: --assay-ledger names it for the whole run"
        require("ledger" not in terms, "ledger", must, terms.get("ledger"))
        spent = delta_text(self._run.delta if delta is None else delta)
        path, made = self._run.ledger, None
        with nullcontext() if path is None else closing(_Book(path)) as book:
            try:
                made = issue(*given, delta=spent, ledger=book, **terms)
            except CertificateRefused as refusal:
                refused = str(refusal)
        entry = None if book is None else book.last
        if made is None:  # told here and not while it is handled, or pytest shows both
            return self._closed(refused, spent, entry)
        return self._judged(judge(made), made, spent, entry)

    def _judged(
        self, gate: Gate, made: Certificate, spent: str, entry: Entry | None = None
    ) -> Certificate:
        """The certificate of a gate that is passed; a failure otherwise."""
        if entry is None:
            self._refuse_another_try(gate, made, spent)
        file = self._saved(made)
        self._tell(gate.passed, gate_reason(gate, made), spent, entry, file)
        return made

    def _refuse_another_try(self, gate: Gate, made: Certificate, spent: str) -> None:
        """A gate that failed has spent its delta: trying again until it passes would promise too much."""
        place, seen = (self._test, self._place), made.document["digest"]
        if place in self._run.closed and self._run.closed[place] != seen:
            self._tell(
                False,
                "This gate has failed before in this run, and a rerun is another look, which nobody has paid for: "
                "with --assay-ledger FILE every look is charged. " + gate_reason(gate, made),
                spent,
            )
        if not gate.passed:
            self._run.closed[place] = seen

    def _closed(self, sentence: str, spent: str, entry: Entry | None) -> NoReturn:
        if entry is None:
            self._run.closed[(self._test, self._place)] = sentence
        self._tell(False, sentence, spent, entry)
        raise GateFailed(sentence)

    def _tell(
        self, passed: bool, sentence: str, spent: str, entry: Entry | None = None, file: str = ""
    ) -> None:
        """Keep what came of a gate for the summary, and end the test where it failed."""
        self._place += 1
        if entry is not None:
            spent = str(entry.share)
        account, number = ("", 1) if entry is None else (entry.holdout, entry.number)
        self.looks.append(Look(self._test, passed, sentence, spent, account, number, file))
        if not passed:
            self._fail(sentence)
            raise GateFailed(sentence)  # where what should end the test did not

    def _saved(self, made: Certificate) -> str:
        out = self._run.out
        if out is None:
            return ""
        out.mkdir(parents=True, exist_ok=True)
        path = out / certificate_name(self._test, self._place)
        made.save(path)
        return str(path)
