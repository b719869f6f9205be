"""What the documentation shows is so: sessions and docstrings are run and compared, and the examples run through."""

from __future__ import annotations

import ast
import doctest
import importlib
import json
import pkgutil
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from shell import run

import yote_fast
from yote_fast.cli import app

FLAGS = doctest.IGNORE_EXCEPTION_DETAIL

# Not the modules with an underscore: the program's start, and builds of the core for other processors.
MODULES = [
    "yote_fast",
    *(found.name for found in pkgutil.walk_packages(yote_fast.__path__, "yote_fast.") if "._" not in found.name),
]
SOURCE = Path(__file__).parents[1]
PAGES = [*sorted(SOURCE.glob("*.md")), *sorted(SOURCE.glob("docs/*.md"))]
EXAMPLES = sorted(SOURCE.glob("docs/examples/*.py"))
SESSIONS = {"rules.md", "README.md", "tutorial.md", "analyse.md", "perft.md", "design.md"}
NOTEBOOK = SOURCE / "docs" / "three_jobs.ipynb"


def sessions(text: str) -> Iterator[str]:
    """The pycon blocks of a page."""
    inside = False
    for line in text.splitlines(keepends=True):
        if line.lstrip().startswith("```"):
            inside = line.strip() == "```pycon"
        elif inside:
            yield line
        if not inside:
            yield "\n"


def run_sessions(text: str, name: str) -> doctest.TestResults:
    """Run the sessions of a page as one, so that each goes on from those before it; line numbers stay right."""
    test = doctest.DocTestParser().get_doctest("".join(sessions(text)), {}, name, name, 0)
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    runner.run(test)
    return runner.summarize(verbose=False)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    results = run_sessions(text, page.name)
    assert results.failed == 0
    # All examples were found.
    assert results.attempted == len(re.findall(r"^ *>>> ", text, re.MULTILINE))
    assert results.attempted > 0 or page.name not in SESSIONS


def test_there_are_pages_and_examples() -> None:
    assert {page.name for page in PAGES} >= SESSIONS
    assert len(EXAMPLES) >= 3


def test_a_wrong_session_fails() -> None:
    """A check of the tools above."""
    page = "```pycon\n>>> n = 2\n\n```\ntext >>> no\n```sh\n>>> no\n```\n```pycon\n>>> n\n{}\n\n```\n"
    assert run_sessions(page.format(2), "page") == (0, 2)
    assert run_sessions(page.format(3), "page") == (1, 2)


def commands(page: str) -> Iterator[str]:
    """The ``yote`` command lines of a page's shell blocks."""
    for block in re.findall(r"^```sh\n(.*?)^```", page, re.MULTILINE | re.DOTALL):
        yield from re.findall(r"^(?:pip install \. && )?(yote\b[^|<\n]*)", block, re.MULTILINE)


def helps(command: click.Command, path: str = "yote") -> Iterator[str]:
    yield command.get_help(click.Context(command, info_name=path))
    if isinstance(command, click.Group):
        for name, inner in command.commands.items():
            yield from helps(inner, f"{path} {name}")


def read_command(line: str) -> None:
    """Read a command line as ``yote`` does, without doing what it says."""
    command: click.Command = app
    words = shlex.split(line, comments=True)[1:]
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        command = command.commands[words.pop(0)]
    # As a context, for it opens files.
    with command.make_context(line, words):
        pass


def test_command_lines_of_pages_and_helps_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "games.ygn").touch()
    monkeypatch.chdir(tmp_path)
    lines = [line for page in PAGES for line in commands(page.read_text(encoding="utf-8"))]
    assert len(lines) > 30
    examples = [line for text in helps(app) for line in re.findall(r"^ *(?:Example: )?(yote [^|<\n]*)", text, re.MULTILINE)]
    assert len(examples) > 30
    for line in lines + examples:
        if line.strip() not in ("yote --help", "yote COMMAND --help"):
            read_command(line)


def test_every_command_has_an_example() -> None:
    for text in helps(app):
        assert re.search(r"^ *Examples?( of a session)?:", text, re.MULTILINE), text


def test_a_wrong_command_line_is_found() -> None:
    """A check of the tools above."""
    assert list(commands("yote no\n```sh\nyote perft 3 | head\nls\n```\nyote no\n")) == ["yote perft 3 "]
    with pytest.raises(click.UsageError):
        read_command("yote perft 3 --deep")


@pytest.mark.slow
def test_notebook_prints_what_is_stored_in_it() -> None:
    """After a change: ``jupyter execute --inplace docs/three_jobs.ipynb``. The site's build runs it in a kernel besides."""
    cells = [cell for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    outputs = [output for cell in cells for output in cell["outputs"]]
    assert sum("image/png" in output.get("data", {}) for output in outputs) == 3
    assert sum("image/svg+xml" in output.get("data", {}) for output in outputs) == 3
    source = "\n".join("".join(cell["source"]) for cell in cells)
    ended = run("-c", f"import matplotlib; matplotlib.use('template')\n{source}")
    assert (ended.status, ended.stderr) == (0, "")
    assert ended.stdout == "".join(line for output in outputs for line in output.get("text", []))


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name), optionflags=FLAGS).failed == 0


def test_docstrings_have_examples() -> None:
    finder = doctest.DocTestFinder()
    with_examples = {name for name in MODULES if any(test.examples for test in finder.find(importlib.import_module(name)))}
    assert {"yote_fast", "yote_fast.analysis", "yote_fast.perft", "yote_fast.rules", "yote_fast.score"} <= with_examples


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_examples(example: Path) -> None:
    ended = run(str(example))
    assert (ended.status, ended.stderr) == (0, "")
    assert ended.stdout
    source = example.read_text(encoding="utf-8")
    assert ast.get_docstring(ast.parse(source))
    assert len(source.splitlines()) < 40


def test_learning_comes_nearer_to_the_exact_solution() -> None:
    ended = run(str(SOURCE / "docs" / "learning" / "learn_by_self_play.py"))
    assert (ended.status, ended.stderr) == (0, "")
    header, *rows = ended.stdout.splitlines()
    assert header.split()[:2] == ["optimal", "moves"]
    shares = {name: [int(share.removesuffix("%")) for share in values] for name, *values in map(str.split, rows)}
    assert set(shares) == {"chance", "learned", "engine"}
    assert all(chance < learned < engine for chance, learned, engine in zip(*shares.values(), strict=True))


@pytest.mark.parametrize("name", ["match", "reference", "svg", "tablebase", "ugi"])
def test_modules_imported_when_asked_for(name: str) -> None:
    ended = run("-c", f"import yote_fast as yf; print(yf.{name}.__name__)")
    assert (ended.status, ended.stdout, ended.stderr) == (0, f"yote_fast.{name}\n", "")


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(AttributeError, match="module 'yote_fast' has no attribute 'chess'"):
        _ = yote_fast.chess
