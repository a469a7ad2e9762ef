"""Members of a zip archive, read within bounds: deflated by the standard library, zstd where a package knows it."""

from __future__ import annotations

import io
import zipfile
import zlib
from pathlib import Path
from typing import Any

from assay.data.logs.strict_json import MOST_BYTES, parse
from assay.errors import BadData
from assay.extras import needed_for

_ZSTD = 93
_LOCAL_HEADER = 30
# What unpacks to so much more than it takes is no log.
_MOST_RATIO, _ALWAYS_TAKEN = 200, 2**26


class Archive:
    """A zip archive whose members are JSON."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with zipfile.ZipFile(path) as archive:
                infos = archive.infolist()
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as problem:
            raise _damaged(path) from problem
        self._infos = {info.filename: info for info in infos}
        if len(self._infos) < len(infos):
            raise BadData(f"{path} holds two members of one name. Write it again.")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all members."""
        return tuple(self._infos)

    def json(self, name: str) -> Any:
        """A member as a JSON value."""
        return parse(self.read(name), f"{self.path}, {name},")

    def read(self, name: str) -> bytes:
        """The bytes of a member; refuses one that is damaged, locked, or much larger than it looks."""
        info = self._infos[name]
        large = info.file_size > max(_ALWAYS_TAKEN, _MOST_RATIO * info.compress_size)
        if info.file_size > MOST_BYTES or large:
            raise BadData(
                f"{self.path} unpacks to {info.file_size / 2**20:,.0f} MiB in {name}, more than is taken in."
            )
        if info.flag_bits & 1:
            raise BadData(f"{self.path} is locked with a password. Save it without one.")
        try:
            data = self._unpacked(info)
        except (zipfile.BadZipFile, zlib.error, OSError, EOFError, NotImplementedError) as problem:
            raise _damaged(self.path) from problem
        if len(data) != info.file_size or zlib.crc32(data) != info.CRC:
            raise _damaged(self.path)
        return data

    def _unpacked(self, info: zipfile.ZipInfo) -> bytes:
        """The bytes of a member, and at most one more than it says it has."""
        packed, most = self._packed(info), info.file_size + 1
        if info.compress_type == zipfile.ZIP_STORED:
            return packed
        if info.compress_type == zipfile.ZIP_DEFLATED:
            return zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, most)
        if info.compress_type != _ZSTD:
            raise NotImplementedError
        with needed_for(f"Unpacking {self.path}"):
            import pyarrow as pa
        stream = pa.CompressedInputStream(pa.py_buffer(packed), "zstd")
        return bytes(stream.read(most))

    def _packed(self, info: zipfile.ZipInfo) -> bytes:
        """What lies behind the member's own header; to open the archive again would read all names again."""
        with open(self.path, "rb") as file:
            file.seek(info.header_offset)
            header = file.read(_LOCAL_HEADER)
            names = int.from_bytes(header[26:28], "little"), int.from_bytes(header[28:30], "little")
            file.seek(sum(names), io.SEEK_CUR)
            return file.read(info.compress_size)


def _damaged(path: Path) -> BadData:
    return BadData(f"{path} is a damaged zip archive. Copy or write it again.")
