"""Model files: a learner on disk, with everything it needs to predict, to go on, and to be judged.

A model file is a zip archive whose entries are stored as they are, without compression:

* ``manifest.json``: the format number, the learner's registered name, its parameters, what it has
  learned as far as that is not an array, the shape, type and digest of every array, the library's
  version, and a digest of the manifest itself;
* ``arrays/0.npy``, ``arrays/1.npy``, ...: the arrays, in NumPy's format, never pickled.

Loading parses, checks, and then builds: the learner is made from a name in the registry, its parameters
are set as they would be by a user, and its state is put into parts that the learner itself has made.
Nothing in a file names code, so nothing in a file can be run. Saving one model twice gives the same bytes.

How to raise FORMAT: keep the reader of the old format, keep the golden files of the old format in the
tests, and say in the changelog what changed and why.
"""

from __future__ import annotations

import io
import json
import math
import os
import re
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from assay import __version__
from assay.errors import BadData, BadParameter, UnknownName
from assay.evidence.digest import digest_bytes
from assay.learners.model_file.state import Decoder, Encoder
from assay.learners.registry import name_of
from assay.types import Array
from assay.whole_file import whole_file

FORMAT = 1

# Limits for files from strangers. Entries are not compressed, so memory is bounded by the file's size.
MOST_BYTES = 2**32
MOST_MANIFEST = 2**26
_ENTRY = re.compile(r"manifest\.json|arrays/(?:0|[1-9][0-9]{0,6})\.npy")
_KINDS = "biufU"


def save(model: Any, path: str | os.PathLike[str], *, rows: bool = True) -> None:
    """Write a learner to a file; the file appears whole or not at all.

    A learner that is loaded again predicts the same, and goes on learning to the same bits as if it
    had never been interrupted.

    Parameters
    ----------
    model : learner
        Any of assay's learners, fitted or not.
    path : str or path
        The file, by custom with the ending ``.assay``.
    rows : bool, default=True
        Whether the file holds the digests of the rows that were learned, by which a certificate from the same rows is
        refused. Nobody can read a row off its digest, but whoever guesses a row can see whether it was learned: leave
        them out of a file for others where that must not be known.

    Examples
    --------
    >>> import tempfile
    >>> from assay import Perceptron, load, save
    >>> model = Perceptron().fit([[0.0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 1])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(model, f"{folder}/or.assay")
    ...     again = load(f"{folder}/or.assay")
    >>> again.predict([[1.0, 0]]).item(), again.record_.mistakes
    (1, 5)
    """
    name = name_of(model)
    encoder = Encoder()
    try:
        _, parameters, learned = encoder.learner(model, () if rows else ("fitted_rows_",))
    except TypeError as problem:
        raise BadParameter(f"This {name} cannot be saved: {problem}.") from None
    manifest: dict[str, Any] = {
        "format": FORMAT,
        "assay": __version__,
        "learner": name,
        "parameters": parameters,
        "learned": learned,
    }
    stored = [_npy(array) for array in encoder.arrays]
    manifest["arrays"] = [
        {"dtype": a.dtype.str, "shape": list(a.shape), "sha256": digest_bytes(raw)}
        for a, raw in zip(encoder.arrays, stored, strict=True)
    ]
    text = json.dumps(_sealed(manifest), indent=1).encode()
    if len(text) > MOST_MANIFEST or sum(map(len, stored)) > MOST_BYTES - 2 * MOST_MANIFEST:
        raise BadParameter(f"This {name} is too large for a model file.")
    with whole_file(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(_entry("manifest.json"), text)
        for place, raw in enumerate(stored):
            archive.writestr(_entry(f"arrays/{place}.npy"), raw)


def _npy(array: Array) -> bytes:
    file = io.BytesIO()
    np.lib.format.write_array(file, array, version=(1, 0), allow_pickle=False)
    return file.getvalue()


def _entry(name: str) -> zipfile.ZipInfo:
    """An entry without a time, so that the same model gives the same file."""
    entry = zipfile.ZipInfo(name)
    entry.external_attr = 0o644 << 16
    return entry


def _sealed(manifest: dict[str, Any]) -> dict[str, Any]:
    body = {key: value for key, value in manifest.items() if key != "digest"}
    text = json.dumps(body, sort_keys=True, separators=(",", ":"))
    return body | {"digest": digest_bytes(text.encode())}


def load(path: str | os.PathLike[str]) -> Any:
    """Read a learner from a file written by `save`; nothing in the file is run.

    Parameters
    ----------
    path : str or path
        The model file.

    Returns
    -------
    learner

    Raises
    ------
    BadData
        If the file is missing, damaged, changed, of a later format, or too large.

    Examples
    --------
    >>> load("missing.assay")
    Traceback (most recent call last):
        ...
    assay.errors.BadData: missing.assay cannot be read: No such file or directory.
    """
    name = str(path)
    try:
        size = Path(path).stat().st_size
        if size > MOST_BYTES:
            raise BadData(f"{name} is too large for a model file: {size:,} bytes.")
        with zipfile.ZipFile(path) as archive:
            manifest = _read_manifest(archive, size, name)
            arrays = [_read_array(archive, i, entry) for i, entry in enumerate(manifest["arrays"])]
        return _built(manifest, arrays)
    except _Refused as refused:
        raise BadData(f"{name} is {refused}") from None
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError):
        raise BadData(f"{name} is not a model file, or it is cut short or damaged.") from None
    except OSError as problem:
        raise BadData(f"{name} cannot be read: {problem.strerror or problem}.") from None


class _Refused(Exception):
    """What a file is instead of a model file, as the rest of a sentence."""


def _damaged(why: str) -> _Refused:
    return _Refused(f"damaged or was changed: {why}.")


def _read_manifest(archive: zipfile.ZipFile, size: int, name: str) -> dict[str, Any]:
    entries = {entry.filename: entry for entry in archive.infolist()}
    if len(entries) != len(archive.infolist()):
        raise _damaged("it holds an entry twice")
    if "manifest.json" not in entries:
        raise _Refused("a zip archive, but not a model file: it has no manifest.")
    for key, entry in entries.items():
        if not _ENTRY.fullmatch(key):
            raise _damaged(f"it holds an entry {key[:80]!r}")
        if entry.compress_type != zipfile.ZIP_STORED or entry.file_size != entry.compress_size:
            raise _damaged("an entry is compressed, which model files never are")
    # Entries that share their bytes could claim more than there is.
    if sum(entry.file_size for entry in entries.values()) > size:
        raise _damaged("its entries claim more bytes than the file has")
    if entries["manifest.json"].file_size > MOST_MANIFEST:
        raise _Refused(f"not a model file: its manifest has more than {MOST_MANIFEST:,} bytes.")
    manifest = _parsed(archive.read("manifest.json"))
    listed = {f"arrays/{place}.npy" for place in range(len(manifest["arrays"]))}
    if listed != set(entries) - {"manifest.json"}:
        raise _damaged("its arrays are not those that it lists")
    return manifest


def _parsed(text: bytes) -> dict[str, Any]:
    try:
        manifest = json.loads(text, object_pairs_hook=_without_repeats, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise _damaged("its manifest is not readable") from None
    number = manifest.get("format") if isinstance(manifest, dict) else None
    if type(number) is not int or number < 1:
        raise _Refused("a zip archive, but not a model file: it has no format number.")
    if number > FORMAT:
        raise _Refused(
            f"a model file of format {number}, but this version of assay reads up to format {FORMAT}. "
            "Upgrade assay to load it."
        )
    if manifest.get("digest") != _sealed(manifest)["digest"]:
        raise _damaged("the digest of its manifest does not match")
    wanted = {
        "format": int,
        "assay": str,
        "learner": str,
        "parameters": dict,
        "learned": dict,
        "arrays": list,
        "digest": str,
    }
    if {key: type(value) for key, value in manifest.items()} != wanted:
        raise _damaged("its manifest has not the entries it should have")
    return dict(manifest)


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    entries = dict(pairs)
    if len(entries) != len(pairs):
        raise ValueError("an entry is named twice")
    return entries


def _no_constant(text: str) -> None:
    raise ValueError(f"{text} is no number")


def _read_array(archive: zipfile.ZipFile, place: int, entry: Any) -> Array:
    raw = archive.read(f"arrays/{place}.npy")
    if not isinstance(entry, dict) or entry.get("sha256") != digest_bytes(raw):
        raise _damaged(f"the digest of array {place} does not match")
    file = io.BytesIO(raw)
    try:
        if np.lib.format.read_magic(file) != (1, 0):
            raise ValueError
        shape, fortran, dtype = np.lib.format.read_array_header_1_0(file)
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        raise _damaged(f"array {place} has no readable header") from None
    # The header is believed only as far as there are bytes: no shape can ask for memory.
    held = len(raw) - file.tell()
    little = dtype.newbyteorder("<") == dtype  # as all arrays are written
    if dtype.kind not in _KINDS or not little or dtype.itemsize * math.prod(shape) != held:
        raise _damaged(f"array {place} is not what its header says")
    if entry.get("dtype") != dtype.str or entry.get("shape") != list(shape):
        raise _damaged(f"array {place} is not what the manifest says")
    flat = np.frombuffer(raw, dtype=dtype, offset=file.tell()) if held else np.zeros(0, dtype)
    return flat.reshape(shape, order="F" if fortran else "C")


def _built(manifest: dict[str, Any], arrays: list[Array]) -> Any:
    name = manifest["learner"]
    try:
        model = Decoder(arrays).learner(name, manifest["parameters"], manifest["learned"])
    except UnknownName as unknown:
        raise _Refused(
            f"a model file that this version of assay does not know: {unknown}"
        ) from None
    except MemoryError:
        raise
    except Exception as problem:  # whatever a file can bring about is the file's fault
        raise _damaged(f"it does not fit a {name} ({_brief(problem)})") from None
    return model


def _brief(problem: Exception) -> str:
    text = " ".join(str(problem).split()) or type(problem).__name__
    return text if len(text) <= 200 else f"{text[:200]}..."
