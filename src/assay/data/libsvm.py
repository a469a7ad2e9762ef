"""libsvm (svmlight) text: ``label index:value index:value # comment``, as compressed sparse rows.

Indices rise from left to right and start at 1, or at 0; ``qid:`` and comments are passed over; a
line that holds neither label nor features is no row. Lines and columns are counted from 1.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
from numpy.typing import DTypeLike
from scipy import sparse

from assay.data.blocks import end_of_line, whole_rows
from assay.data.delimited import unpacked
from assay.data.examples import Chunks, Examples, NumberedFeatures, Piece, joined, rechunked
from assay.data.header import COMPRESSIONS, damaged
from assay.data.libsvm_lines import MOST_INDEX, BadLine, LineReader, Parsed, Parser, parse_plainly
from assay.data.remedies import HOW_MANY
from assay.data.standard_input import each_once, standard_input
from assay.data.table import first_bytes
from assay.errors import BadData, BadParameter, require

_BLOCK = 2**23


def read_libsvm(
    paths: Sequence[str | os.PathLike[str]],
    *,
    parse: Parser = parse_plainly,
    chunk_rows: int | None = None,
    features: int | None = None,
    zero_based: bool | Literal["auto"] = "auto",
    missing: Literal["refuse", "nan", "zero"] = "refuse",
    dtype: DTypeLike = np.float64,
) -> Examples | Chunks:
    r"""Read files of libsvm text, one after the other, whole or in chunks.

    Parameters
    ----------
    paths : sequence of str or pathlib.Path
        The files, perhaps compressed (.gz, .bz2, .zst); ``-`` is standard input.
    parse : callable
        What makes rows of text, such as `assay.compiled.text.libsvm.parse_text`.
    chunk_rows : int, optional
        Read in chunks of so many rows.
    features : int, optional
        How many features there are; the largest index tells if not given. In chunks, the files are
        then gone through once before.
    zero_based : bool or "auto"
        Whether indices start at 0. By itself, 0 is the first index if it occurs and 1 if not; on
        standard input in chunks, 1.
    missing : {"refuse", "nan", "zero"}
        What becomes of a value that is written as nan.
    dtype : dtype
        The precision of the values; each is the float64 nearest to its text, then cast.

    Returns
    -------
    Examples or Chunks
        With sparse features (`scipy.sparse.csr_array`, explicit zeros kept) and float64 labels.

    Raises
    ------
    BadData
        With file, line and column, if a line is malformed.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "small.svm")
    ...     _ = path.write_text("+1 1:0.5 3:2 # first\n-1 2:1e-1\n")
    ...     examples = read_libsvm([path])
    >>> examples.X.toarray().tolist(), examples.y.tolist()
    ([[0.5, 0.0, 2.0], [0.0, 0.1, 0.0]], [1.0, -1.0])
    """
    require(zero_based in (True, False, "auto"), "zero_based", "True, False or 'auto'", zero_based)
    require(
        features is None or 1 <= features <= MOST_INDEX,
        "features",
        "at least 1, if given",
        features,
    )
    reader = _Reader([_open(path) for path in paths], parse, missing, np.dtype(dtype))
    if chunk_rows is None:
        return reader.whole(features, zero_based)
    return reader.chunks(features, zero_based, chunk_rows)


@dataclass(frozen=True)
class _Text:
    """One file, or standard input, as blocks of whole lines."""

    name: str
    open: Callable[[], Any]
    path: Path | None = None

    @property
    def live(self) -> bool:
        return self.path is None

    def blocks(self, size: int | None) -> Iterator[bytes | mmap.mmap]:
        """Blocks of about so many bytes; without a size, all at once."""
        if size is None and self.path is not None and self.path.suffix.lower() not in COMPRESSIONS:
            with open(self.path, "rb") as file:
                yield mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            return
        try:
            with self.open() as stream:
                if size is None:
                    yield stream.read()
                else:
                    read = stream.read1 if self.live else stream.read
                    yield from whole_rows(read, end_of_line, size)
        except (pa.ArrowException, OSError, EOFError) as problem:
            raise damaged(self.name) from problem


def _open(path: str | os.PathLike[str]) -> _Text:
    if str(path) == "-":
        return _Text("standard input", each_once(lambda: nullcontext(standard_input())))
    path = Path(path)
    first_bytes(path)
    return _Text(str(path), lambda: unpacked(path), path)


@dataclass(frozen=True)
class _Reader:
    texts: Sequence[_Text]
    parse: Parser
    missing: Literal["refuse", "nan", "zero"]
    dtype: np.dtype[Any]

    def whole(self, features: int | None, zero_based: bool | Literal["auto"]) -> Examples:
        least = int(zero_based is False)
        most = MOST_INDEX if features is None else features - int(zero_based is True)
        parts = []
        for text in self.texts:
            for part, refusal in self._parsed(text, None, least, most):
                if refusal is not None:
                    raise refusal
                parts.append(part)
        if not any(len(part.labels) for part in parts):
            raise BadData(f"{self.name} holds no rows.")
        first, count = _shape(parts, features, zero_based, self.name)
        X, y = joined([self._piece(part, first, count) for part in parts])
        return Examples(X, y, NumberedFeatures(first, count), "label")

    def chunks(
        self, features: int | None, zero_based: bool | Literal["auto"], chunk_rows: int
    ) -> Chunks:
        live = any(text.live for text in self.texts)
        if features is None and live:
            raise BadParameter(
                "features must be given to read libsvm text from standard input in chunks, since "
                "the largest index is not known beforehand."
            )
        if zero_based == "auto" and live:
            zero_based = False
        if features is None or zero_based == "auto":
            parts = (
                part for text in self.texts for part, _ in self._parsed(text, _BLOCK, 0, MOST_INDEX)
            )
            first, features = _shape(parts, features, zero_based, self.name)
        else:
            first = int(not zero_based)
        count = features

        def read() -> Iterator[Piece]:
            rows = 0
            for text in self.texts:
                for part, refusal in self._parsed(text, _BLOCK, first, first + count - 1):
                    rows += len(part.labels)
                    yield self._piece(part, first, count)
                    if refusal is not None:
                        raise refusal
            if not rows:
                raise BadData(f"{self.name} holds no rows.")

        names = NumberedFeatures(first, count)
        return Chunks(lambda: rechunked(read(), chunk_rows, live), names, target="label")

    @property
    def name(self) -> str:
        return ", ".join(text.name for text in self.texts)

    def _parsed(
        self, text: _Text, size: int | None, least: int, most: int
    ) -> Iterator[tuple[Parsed, BadData | None]]:
        """Each block's rows up to the first refusal; nothing comes after a refusal."""
        reader = LineReader(least, most, self.missing)
        lines = 1
        for block in text.blocks(size):
            signs = np.frombuffer(block, np.uint8)
            part = Parsed(*self.parse(signs, reader, least, most))
            if part.refusal is not None:
                start, problem = part.refusal
                yield part, _refusal(text.name, lines + block[:start].count(b"\n"), problem)
                return
            yield part, None
            lines += block.count(b"\n") if isinstance(block, bytes) else 0

    def _piece(self, part: Parsed, first: int, features: int) -> Piece:
        indices, pointers = part.indices, part.pointers
        if first:
            indices -= 1
        if pointers[-1] < 2**31:
            pointers = pointers.astype(np.int32)  # one type for both, or SciPy widens the indices
        values = part.values.astype(self.dtype, copy=False)
        X = sparse.csr_array((values, indices, pointers), shape=(len(part.labels), features))
        return X, part.labels


def _refusal(name: str, line: int, problem: ValueError) -> BadData:
    if not isinstance(problem, BadLine):
        raise problem
    return BadData(
        f"{name} holds {problem.what} in line {line}, column {problem.column}{problem.why}.",
        remedy=problem.remedy,
    )


def _shape(
    parts: Iterable[Parsed], features: int | None, zero_based: bool | Literal["auto"], name: str
) -> tuple[int, int]:
    """The first index, and how many features there are."""
    least, most = MOST_INDEX, -1
    for part in parts:
        filled = np.flatnonzero(np.diff(part.pointers))
        if len(filled):
            # Indices rise, so the ends of a row tell.
            least = min(least, int(part.indices[part.pointers[filled]].min()))
            most = max(most, int(part.indices[part.pointers[filled + 1] - 1].max()))
    first = int(least > 0) if zero_based == "auto" else int(not zero_based)
    if features is None:
        if most < 0:
            raise BadData(f"{name} holds no features.", remedy=HOW_MANY)
        return first, most - first + 1
    if most - first + 1 > features:
        raise BadData(
            f"{name} holds index {most}, but with {features} features, counted from {first}, the "
            f"largest is {first + features - 1}."
        )
    return first, features


def looks_like_libsvm(path: Path) -> bool:
    """Whether the first line that holds something is a label with features."""
    try:
        with unpacked(path) as stream:
            head = stream.read(2**16)
        for line in head.split(b"\n")[: None if len(head) < 2**16 else -1]:
            example = LineReader(missing="nan")(line)
            if example is not None:
                return bool(example[1])
    except (pa.ArrowException, OSError, EOFError, BadLine):
        pass
    return False
