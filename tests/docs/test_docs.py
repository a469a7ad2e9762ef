"""Every example in the documentation runs and prints what it says; the pages keep up with the code.

A page is run from top to bottom in an empty folder that holds only `examples/`. Python examples are
doctests that share one namespace. In a ``console`` block, a line that starts with ``$`` is a
command, and the lines below it are what it prints; ``...`` stands for anything. A command must exit
with 0 unless ``$ echo $?`` follows and says otherwise. In a ``yaml`` block, what follows ``run:`` is
a command that must exit with 0.

The README is run too. Its Python is plain; there, what stands in a comment behind a ``print`` is what it
prints. Its ``sh`` blocks are not run, and may hold nothing but targets of the Makefile.
"""

from __future__ import annotations

import ast
import contextlib
import doctest
import io
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from unittest.mock import patch

import pytest
import typer

import assay
from assay.cli.app import app
from tests.cli.runner import run, without_notice

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
THEORY = ROOT / "src" / "assay" / "theory"
# What sphinx writes is not a page: the gallery's scripts are run while it is built.
WRITTEN = {"_build", "gallery"}
PAGES = sorted(p for p in DOCS.rglob("*.rst") if WRITTEN.isdisjoint(p.relative_to(DOCS).parts))
BLOCK = re.compile(r"^\.\. code-block:: (\S+)\n\n((?:   .*\n|\n)+)", re.MULTILINE)
TESTED = {"console", "yaml"}
FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass
class Command:
    """A command line of a page, what it prints (None: anything), and its exit code."""

    line: int
    text: str
    prints: str | None
    code: int = 0


def commands(page: str) -> list[Command]:
    found: list[Command] = []
    for block in BLOCK.finditer(page):
        language, body = block.group(1), textwrap.dedent(block.group(2))
        line = page.count("\n", 0, block.start()) + 3
        if language == "console":
            found += _console(body, line)
        elif language == "yaml":
            lines = re.findall(r"run: (.+)", body)
            found += [Command(line, text, None) for text in lines]
    return found


def _console(body: str, line: int) -> list[Command]:
    # A backslash at the end of a line goes on in the next, as in a shell.
    body = re.sub(r"\\\n +", "", body)
    found: list[Command] = []
    for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
        text, _, prints = part.partition("\n")
        if text == "echo $?":
            found[-1].code = int(prints)
        else:
            found.append(Command(line, text, prints.rstrip() + "\n" if prints.strip() else ""))
    return found


def run_command(command: Command, page: str) -> None:
    code, said = in_a_shell(command.text) if needs_a_shell(command.text) else here(command.text)
    where = f"{page}, block at line {command.line}: $ {command.text}"
    assert code == command.code, f"{where}\nexit code {code}\n{said}"
    if command.prints is not None:
        same = doctest.OutputChecker().check_output(command.prints, said, doctest.ELLIPSIS)
        assert same, f"{where}\nshould print\n{command.prints}\nbut prints\n{said}"


ENVIRONMENT = {"COLUMNS": "100", "NO_COLOR": "1"}
# Where the package is installed with its entry point, pytest knows the fixture by that.
if not any(known.value == "assay.gates.plugin" for known in entry_points(group="pytest11")):
    ENVIRONMENT["PYTEST_PLUGINS"] = "assay.gates.plugin"


def needs_a_shell(text: str) -> bool:
    """Whether it is more than `assay` and plain words. `make explore` runs everything in a shell."""
    explores = os.environ.get("ASSAY_EXPLORE") == "1"
    return explores or re.fullmatch(r"assay[\w ./=-]*", text) is None


def in_a_shell(text: str) -> tuple[int, str]:
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["/bin/sh", "-c", text],
        env=os.environ | ENVIRONMENT | {"PATH": path},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, without_notice(done.stdout)


def here(text: str) -> tuple[int, str]:
    """The same without the start of a process, which takes longer than the command itself."""
    with patch.dict(os.environ, ENVIRONMENT):
        found = run(*text.split()[1:], stdin="", together=True)
    return found.code, found.out


def run_page(page: str, text: str) -> None:
    """Run the examples of a page in order, Python and commands alike."""
    try:
        _run_page(page, with_free_ports(text))
    except BaseException:
        end_servers()
        raise


def with_free_ports(text: str) -> str:
    """The same with ports on which nobody listens, so that others may run the page at the same time."""
    for port in sorted(set(re.findall(r"--port (\d+)", text))):
        with socket.socket() as held:
            held.bind(("127.0.0.1", 0))
            text = re.sub(rf"\b{port}\b", str(held.getsockname()[1]), text)
    return text


def end_servers() -> None:
    """End what a page that failed half-way has left running."""
    for place in Path().glob("*.pid"):
        with contextlib.suppress(ValueError, ProcessLookupError):
            os.kill(int(place.read_text()), signal.SIGTERM)


def _run_page(page: str, text: str) -> None:
    examples = doctest.DocTestParser().get_examples(text)
    steps = sorted([*commands(text), *examples], key=_line)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    names = {"__name__": "__main__"}
    for step in steps:
        if isinstance(step, Command):
            run_command(step, page)
            continue
        test = doctest.DocTest([step], {}, page, page, 0, None)
        test.globs = names
        complaints: list[str] = []
        runner.run(test, out=complaints.append, clear_globs=False)
        assert not complaints, "".join(complaints)


def run_readme(name: str, text: str) -> None:
    """Run the blocks of a Markdown page in order."""
    for block in FENCED.finditer(text):
        language, body = block.groups()
        line = text.count("\n", 0, block.start()) + 2
        where = f"{name}, block at line {line}"
        if language == "console":
            for command in _console(body, line):
                run_command(command, name)
        elif language == "python":
            _run_script(body, where)
        else:
            assert language == "sh", f"{where}: {language!r} is not run"
            known = [re.fullmatch(r"make (\w+)(?: *#.*)?", row) for row in body.splitlines()]
            assert all(made and made[1] in targets() for made in known), f"{where}\n{body}"


def _run_script(body: str, where: str) -> None:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(body, where, "exec"), {"__name__": "__main__"})
    said = re.findall(r"^print\(.*\)  # (.+)$", body, re.MULTILINE)
    assert printed.getvalue().splitlines() == said, f"{where}\nprints\n{printed.getvalue()}"


def targets() -> set[str]:
    """What `make` can be asked for."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    return set(re.findall(r"^([a-z]+):", makefile, re.MULTILINE))


def _line(step: Command | doctest.Example) -> int:
    return step.line if isinstance(step, Command) else step.lineno


def named(path: Path) -> str:
    return str(path.relative_to(DOCS))


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_examples_of_the_page_run(page, tmp_path, monkeypatch):
    if "$ curl " in page.read_text(encoding="utf-8") and shutil.which("curl") is None:
        pytest.skip("curl is not installed")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    run_page(f"docs/{named(page)}", page.read_text(encoding="utf-8"))


def test_the_readme_runs(tmp_path, monkeypatch):
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert {language for language, _ in FENCED.findall(text)} == {"console", "python", "sh"}
    run_readme("README.md", text)


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_page_has_no_code_that_is_not_run(page):
    text = page.read_text(encoding="utf-8")
    languages = set(re.findall(r"^ *\.\. (?:code-block|code|sourcecode):: *(\S*)", text, re.M))
    assert languages <= TESTED, "write Python as >>> and commands in console blocks"
    assert len(BLOCK.findall(text)) == len(re.findall(r"^ *\.\. code-block::", text, re.M))


def test_the_examples_can_fail(tmp_path, monkeypatch):
    """Each kind of wrong example is noticed, or none of the tests above would mean anything."""
    monkeypatch.chdir(tmp_path)
    block = ".. code-block:: console\n\n   $ {}\n   {}\n\n"
    good = [
        ">>> 1 + 1\n2\n",
        block.format("echo yes", "yes"),
        block.format("exit 3", "$ echo $?\n   3"),
    ]
    wrong = [
        ">>> 1 + 1\n3\n",
        ">>> 1 / 0\n",
        block.format("echo yes", "no"),
        block.format("exit 3", ""),
        block.format("true", "$ echo $?\n   1"),
        ".. code-block:: yaml\n\n   - run: exit 1\n",
    ]
    run_page("good.rst", "\n".join(good))
    for text in wrong:
        with pytest.raises(AssertionError, match=r"wrong\.rst"):
            run_page("wrong.rst", text)


def test_the_readme_can_fail():
    fenced = "```{}\n{}\n```\n"
    good = [
        fenced.format("console", "$ echo yes\nyes"),
        fenced.format("python", "x = 1\nprint(x, x)  # 1 1"),
        fenced.format("sh", "make test  # all tests"),
    ]
    wrong = [
        fenced.format("console", "$ echo yes\nno"),
        fenced.format("python", "x = 1\nprint(x, x)  # 1 2"),
        fenced.format("python", "print(1)"),
        fenced.format("python", "assert False, 'wrong.md'"),
        fenced.format("sh", "make haste"),
        fenced.format("sh", "rm -rf build"),
        fenced.format("ruby", "puts 1"),
    ]
    run_readme("good.md", "\n".join(good))
    for text in wrong:
        with pytest.raises(AssertionError, match=r"wrong\.md"):
            run_readme("wrong.md", text)


def registered(module: Path) -> list[str]:
    """The ids of the theorems that a file registers, read from its source."""
    ids = []
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        calls = [
            call for call in getattr(node, "decorator_list", [node]) if isinstance(call, ast.Call)
        ]
        for call in calls:
            if isinstance(call.func, ast.Name) and call.func.id in ("theorem", "without_number"):
                given = [argument.value for argument in call.args[1:2]]
                named = isinstance(node, ast.FunctionDef) or given  # else the call of a decorator
                ids += given or ([node.name.replace("_", "-")] if named else [])
    return sorted(set(ids))


MODULES = {path: ids for path in sorted(THEORY.rglob("*.py")) if (ids := registered(path))}


def test_every_file_that_registers_theorems_was_found():
    assert {id for ids in MODULES.values() for id in ids} == {t.id for t in assay.theorems()}


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(THEORY)))
def test_every_theorem_has_its_page(module):
    page = DOCS / "theory" / module.relative_to(THEORY).with_suffix(".rst")
    text = page.read_text(encoding="utf-8")
    missing = [id for id in MODULES[module] if f"``{id}``" not in text]
    assert not missing, f"{page.relative_to(ROOT)} does not mention {', '.join(missing)}"


def sections(page: Path) -> dict[str, str]:
    """The text of a page by its headings."""
    parts = re.split(r"^(.+)\n[-=]{3,}\n", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


@pytest.mark.parametrize("name", typer.main.get_command(app).commands)
def test_every_option_of_a_command_is_documented(name):
    command = typer.main.get_command(app).commands[name]
    text = sections(DOCS / "guide" / "command_line.rst")[f"assay {name}"]
    options = [option for p in command.params for option in p.opts if option.startswith("--")]
    documented = set(re.findall(r"^   \* - ``(--[a-z0-9-]+)", text, re.MULTILINE))
    assert documented == set(options) - {"--help"}


def test_contributing_names_files_and_commands_that_exist():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert set(re.findall(r"`make ([a-z]+)`", text)) <= targets()
    # What a recipe makes is not there yet: test_contributing.py makes it.
    paths = re.findall(r"`((?:src|tests|docs|examples|bench)/[\w./-]+)`(?!, new:)", text)
    assert paths
    missing = [path for path in paths if not (ROOT / path).exists()]
    assert not missing, f"CONTRIBUTING.md names {', '.join(missing)}"
