"""Makes a Python on Linux behave as one on Windows, where assay would notice: found by PYTHONPATH, run at each start.

No module of POSIX, no call of it, nothing below /proc; locks are msvcrt's, which belong to an open file; a file that is
open is neither renamed over nor removed; folders cannot be opened. Text opened without an encoding is an error in
assay's own modules, since there it would be read as cp1252.
"""

import asyncio
import builtins
import fcntl
import importlib.abc
import io
import os
import re
import shutil
import struct
import sys
import tempfile
import types
import warnings

_PROC = "/proc(/(?!self/maps$)|$)"  # threadpoolctl looks for its libraries there
_HIDDEN = {"fcntl", "resource", "uvloop", "pwd", "grp", "termios", "tty", "pty"}
_CALLS = "fork forkpty fchown chown sched_getaffinity sched_setaffinity sysconf getuid geteuid getloadavg setsid killpg"


class _Nowhere(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name in _HIDDEN:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def _locking(handle, mode, size):
    assert size == 1
    wanted = fcntl.F_UNLCK if mode == 0 else fcntl.F_WRLCK
    place = os.lseek(handle, 0, os.SEEK_CUR)
    try:
        fcntl.fcntl(handle, fcntl.F_OFD_SETLK, struct.pack("hhqqi4x", wanted, 0, place, 1, 0))
    except OSError as problem:
        raise PermissionError(13, "Permission denied") from problem


def _refused(path):
    problem = PermissionError(13, "The process cannot access the file", os.fspath(path))
    problem.winerror = 32
    return problem


_listdir, _open, _os_open, _readlink = os.listdir, io.open, os.open, os.readlink


def _open_here(path):
    real = os.path.realpath(path)
    for handle in _listdir("/proc/self/fd"):
        try:
            if _readlink(f"/proc/self/fd/{handle}") == real:
                return True
        except OSError:
            continue
    with _open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
        return any(line.rstrip("\n").endswith(f" {real}") for line in maps)


def _unless_open(call, place):
    def guarded(*paths, **terms):
        if isinstance(paths[place], str | os.PathLike) and _open_here(paths[place]):
            raise _refused(paths[place])
        return call(*paths, **terms)

    return guarded


def _not_proc(call):
    def guarded(path=".", *terms, **named):
        if isinstance(path, str | os.PathLike) and re.match(_PROC, os.fspath(path)):
            raise FileNotFoundError(2, "No such file or directory", os.fspath(path))
        return call(path, *terms, **named)

    return guarded


def _with_encoding(call):
    def guarded(file, mode="r", buffering=-1, encoding=None, *terms, **named):
        if "b" not in mode:
            encoding = io.text_encoding(encoding)  # warns whoever has called this
        return call(file, mode, buffering, encoding, *terms, **named)

    return guarded


def _no_folder(path, flags, *terms, **named):
    if isinstance(path, str | os.PathLike) and os.path.isdir(path):
        raise PermissionError(13, "Permission denied", os.fspath(path))
    return _os_open(path, flags, *terms, **named)


def _no_handler(*given):
    raise NotImplementedError


def _move():
    for name in _HIDDEN - {"uvloop"}:
        sys.modules.pop(name, None)
    sys.meta_path.insert(0, _Nowhere())
    for name in _CALLS.split():
        if hasattr(os, name):
            delattr(os, name)
    sys.modules["msvcrt"] = types.SimpleNamespace(
        locking=_locking, LK_UNLCK=0, LK_LOCK=1, LK_NBLCK=2
    )
    os.replace, os.rename = _unless_open(os.replace, 1), _unless_open(os.rename, 0)
    os.unlink = os.remove = _unless_open(os.unlink, 0)
    os.listdir, io.open = _not_proc(os.listdir), _with_encoding(_not_proc(io.open))
    builtins.open, os.open = io.open, _no_folder
    shutil._use_fd_functions = False
    tempfile.TemporaryFile = tempfile.NamedTemporaryFile
    asyncio.SelectorEventLoop.add_signal_handler = _no_handler
    warnings.filterwarnings("ignore", category=EncodingWarning)
    warnings.filterwarnings("error", category=EncodingWarning, module=r"assay(\.|$)")


if __name__ == "sitecustomize":  # not when tests are collected
    _move()
