"""What the documentation shows is so: sessions and docstrings are run and compared, and the examples run through."""

from __future__ import annotations

import ast
import doctest
import importlib
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from shell import run

import yote_fast

FLAGS = doctest.IGNORE_EXCEPTION_DETAIL

# Not the modules with an underscore: the program's start, and builds of the core for other processors.
MODULES = [
    "yote_fast",
    *(found.name for found in pkgutil.walk_packages(yote_fast.__path__, "yote_fast.") if "._" not in found.name),
]
SOURCE = Path(__file__).parents[1]
PAGES = [*sorted(SOURCE.glob("*.md")), *sorted(SOURCE.glob("docs/*.md"))]
EXAMPLES = sorted(SOURCE.glob("docs/examples/*.py"))
SESSIONS = {"rules.md", "README.md"}


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
