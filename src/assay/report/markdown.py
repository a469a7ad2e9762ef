"""Certificates, verifications and comparisons as Markdown, such as the summary of a job in CI shows.

What stands in a table comes from files of strangers (labels, names of columns and files, evidence), so every text is
escaped, our own words included: there is one way in.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from assay.certificates.certificate import Certificate
from assay.certificates.issue.gate import Gate
from assay.certificates.show.gate_words import gate_sentence, shortfall_sentences
from assay.certificates.show.group_table import NAMES, group_rows, is_of_group
from assay.certificates.show.html import STATUSES, all_assumptions, remark, verdict
from assay.certificates.show.words import (
    at_once,
    capital,
    confidence_text,
    observed_number,
    promised,
    promised_number,
    seen,
)
from assay.certificates.verify.verify import Verification
from assay.errors import AssayError
from assay.guarantees.guarantee import Guarantee
from assay.guarantees.printable import printable
from assay.report.story import Story
from assay.report.story_text import promised_text, seen_text
from assay.report.text import accounting

# What begins or ends anything in Markdown or HTML, in a line and where one begins. A reference to a character is never
# read as one of them.
_ACTING = re.compile(r"[\\`*_{}\[\]<>#|~&$]|^[-+=\s]|^\d+(?=[.)](?:\s|$))")
# Addresses, short names of pictures, people and numbers become links after that; an unseen joiner in them prevents it.
_LINKED = re.compile(r"@|(?i:www)(?=\.)|:(?=//|[\w+-]+:)|(?<=&#35;)(?=\w)")
_JOINER = "&#8288;"
_LONGEST = 1000
# Of more claims or checks than this, the first.
_MOST = 50


def escaped(text: object, longest: int = _LONGEST) -> str:
    """A text of others in a line of Markdown: it shows as it is, and can do nothing.

    Examples
    --------
    >>> escaped("<b>a|b</b>")
    '&#60;b&#62;a&#124;b&#60;/b&#62;'
    >>> escaped("The chance is at most 6.29 %.")
    'The chance is at most 6.29 %.'
    """
    shown = _ACTING.sub(_reference, printable(text, longest))
    return _LINKED.sub(lambda found: found[0] + _JOINER, shown)


def _reference(found: re.Match[str]) -> str:
    return "".join(f"&#{ord(character)};" for character in found[0])


def certificate_markdown(
    certificate: Certificate, source: str = "", gate: Gate | None = None
) -> str:
    """A certificate: the verdict of its gate, what is promised beside what was seen, and what that rests on.

    Parameters
    ----------
    certificate : Certificate
        The certificate.
    source : str, optional
        What it was issued for.
    gate : Gate, optional
        The limit that it was held to.

    Examples
    --------
    >>> from assay import certify
    >>> print(certificate_markdown(certify(errors=50, rows=1000), "guesses.csv"))
    ### Certificate for guesses.csv
    <BLANKLINE>
    **Promised:** The chance that a new row is wrong is at most 6.29 %, with 95 % confidence.
    <BLANKLINE>
    **Observed:** 50 of 1,000 rows are wrong (5 %).
    <BLANKLINE>
    | Condition | How it is known |
    | :-- | :-- |
    | the rows are independent draws from the distribution of use | ? assumed |
    | the model was fixed before these rows were seen | ! not asked |
    """
    title = f"Certificate for {source}" if source else "Certificate"
    verdict = None if gate is None else (gate.passed, gate_sentence(gate))
    short = [] if gate is None else shortfall_sentences(gate, certificate.claims)
    parts = _promise(certificate), _conditions(certificate.claims)
    return _written(title, verdict, _paragraphs("", short), *parts)


def refusal_markdown(title: str, refusal: AssayError) -> str:
    """A promise that was refused: what was asked, and why not.

    Examples
    --------
    >>> from assay.errors import CertificateRefused
    >>> print(refusal_markdown("Certificate", CertificateRefused("Fail: an error of 0.05 cannot be promised.")))
    ### Certificate
    <BLANKLINE>
    ❌ **FAIL**: Fail: an error of 0.05 cannot be promised.
    """
    return _written(title, (False, str(refusal)))


def verification_markdown(
    verification: Verification,
    certificate: Certificate | None = None,
    source: str = "",
    gate: Gate | None = None,
) -> str:
    """A verification: the verdict, what the certificate promises where it adds up, and every check.

    Parameters
    ----------
    verification : Verification
        What was checked.
    certificate : Certificate, optional
        The certificate; what it says is shown only where it adds up.
    source : str, optional
        Its file.
    gate : Gate, optional
        What it is held to.
    """
    told: list[list[str]] = []
    if certificate is not None and verification.adds_up:
        told = [_promise(certificate), _conditions(certificate.claims)]
    checks = [
        (finding.check, "✓ ok" if finding.ok else "✗ refused", finding.detail)
        for finding in verification.findings
    ]
    *others, conclusion = verification.conclusion.split("\n")
    passed = verification.ok
    if gate is not None:
        passed = passed and gate.passed
        joint = "and" if gate.passed else "but"
        conclusion = f"{conclusion.rstrip('.')}, {joint} {gate_sentence(gate)}"
    return _written(
        f"Verification of {source}" if source else "Verification",
        (passed, conclusion),
        *told,
        _table(("Check", "Result", "Detail"), checks),
        _paragraphs("Note", verification.notes),
        _paragraphs("", others),
    )


def comparison_markdown(story: Story) -> str:
    """A comparison: every candidate with what was seen and what is promised, and what the best promise rests on."""
    rows = [
        (
            f"{one.learner} (smallest promise)" if one.chosen else one.learner,
            promised_text(one),
            seen_text(one),
            one.behind,
            one.remark,
        )
        for one in story.candidates
    ]
    claims = () if story.certificate is None else story.certificate.claims
    return _written(
        story.title,
        None,
        _paragraphs("", [*story.summary, *([story.baseline] if story.baseline else [])]),
        _table(("Candidate", "Promised", "Observed", "Behind the best, promised", "Remark"), rows),
        _conditions(claims),
        _paragraphs("Note", story.notes),
    )


def gates_markdown(rows: Sequence[tuple[str, bool, str]], conclusion: str) -> str:
    """The gates of a run: each with the test that asked, whether it passed, and what could be promised.

    Examples
    --------
    >>> print(gates_markdown([("test_error", True, "5 % can be promised.")], "1 of 1 gates passed."))
    ### Promises
    <BLANKLINE>
    ✅ **PASS**: 1 of 1 gates passed.
    <BLANKLINE>
    | Gate | Verdict | What can be promised |
    | :-- | :-- | :-- |
    | test&#95;error | ✓ passed | 5 % can be promised. |
    """
    listed = [(test, "✓ passed" if passed else "✗ failed", text) for test, passed, text in rows]
    verdict = all(passed for _, passed, _ in rows), conclusion
    return _written(
        "Promises", verdict, _table(("Gate", "Verdict", "What can be promised"), listed)
    )


def _written(title: str, verdict: tuple[bool, str] | None, *parts: Sequence[str]) -> str:
    """The one place where Markdown is put together: a heading, the verdict, and tables."""
    lines = [f"### {escaped(title)}", ""]
    if verdict is not None:
        passed, sentence = verdict
        lines += [f"{'✅ **PASS**' if passed else '❌ **FAIL**'}: {escaped(sentence)}", ""]
    return "\n".join([*lines, *(line for part in parts for line in part)]).rstrip("\n")


def _promise(certificate: Certificate) -> list[str]:
    """What is promised, beside what was seen."""
    claims, sure = certificate.claims, confidence_text(certificate.document["delta"]["total"])
    first = claims[0]
    lines = _paragraphs("Promised", [promised(first, f", with {sure}")])
    lines += _paragraphs("Observed", [seen(first, certificate.rows)])
    lines += _paragraphs("Delta", accounting(certificate))
    if len(claims) == 1:
        return lines
    listed = [_claim(claim) for claim in claims if not is_of_group(claim)]
    together = at_once(claims, sure)
    names = ("Quantity", "Promised", "Observed", "Verdict", "By")
    tables = [*_table(names, listed), *_table(NAMES, group_rows(claims))]
    return [*lines, *tables, *_paragraphs("", [together] if together else [])]


def _claim(claim: Guarantee) -> tuple[str, ...]:
    bound = "" if claim.promised is None else f"{claim.direction} "
    mark, note = verdict(claim), remark(claim)
    shown = f"{mark.symbol} {mark.word}" + (f": {note}" if note else "")
    numbers = bound + promised_number(claim), observed_number(claim)
    return capital(claim.of), *numbers, shown, claim.theorem


def _conditions(claims: Iterable[Guarantee]) -> list[str]:
    rows = [
        (
            assumption.name,
            f"{STATUSES[assumption.status].symbol} {assumption.status}"
            + (f": {assumption.evidence}" if assumption.evidence else ""),
        )
        for assumption in all_assumptions(claims)
    ]
    return _table(("Condition", "How it is known"), rows)


def _paragraphs(title: str, lines: Iterable[str]) -> list[str]:
    """A paragraph a line, each with the title before it."""
    before = f"**{title}:** " if title else ""
    return [part for line in lines for part in (before + escaped(line), "")]


def _table(names: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A table with an empty line after it; columns without any entry are left out."""
    if not rows:
        return []
    kept = [i for i in range(len(names)) if any(row[i] for row in rows)]
    lines = [_row([names[i] for i in kept]), _row([":--" for _ in kept])]
    lines += [_row([escaped(row[i]) for i in kept]) for row in rows[:_MOST]]
    if len(rows) > _MOST:
        lines.append(_row([f"and {len(rows) - _MOST:,} more", *("" for _ in kept[1:])]))
    return [*lines, ""]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
