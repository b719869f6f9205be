"""The documentation site: ``sphinx-build -W docs build/docs`` makes it, and every warning is an error.

The pages are Markdown that reads well without the site too; the reference in ``docs/api`` is made from the docstrings.
"""

import ast
from pathlib import Path
from typing import Any

import yote_fast
import yote_fast.core

project = "yote_fast"
author = copyright = "the yote_fast developers"
version = release = yote_fast.__version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["examples", "learning"]
# An annotation may say Tablebase or Progress, of which there are several; links then go to the first.
suppress_warnings = ["ref.python"]
html_theme = "furo"
html_title = f"yote_fast {version}"
html_copy_source = False
highlight_language = "none"

myst_heading_anchors = 4
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 120
nb_merge_streams = True

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
python_maximum_signature_line_length = 100
autodoc_preserve_defaults = True
napoleon_numpy_docstring = False
napoleon_use_rtype = False


def stub_signatures() -> dict[str, tuple[str, str]]:
    """Arguments and result, with their types, of the methods of compiled classes, which know none themselves; by qualified name."""
    stub = ast.parse(Path(yote_fast.core.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    found = {}
    for node in ast.walk(stub):
        if isinstance(node, ast.ClassDef):
            for method in node.body:
                if isinstance(method, ast.FunctionDef) and method.returns:
                    method.args.args = method.args.args[1:]
                    found[f"{node.name}.{method.name}"] = (f"({ast.unparse(method.args)})", ast.unparse(method.returns))
    return found


SIGNATURES = stub_signatures()


def typed_signature(_app: Any, _what: str, _name: str, thing: Any, *_rest: Any) -> tuple[str, str] | None:
    compiled = getattr(thing, "__module__", "").startswith("yote_fast.core.")
    return SIGNATURES.get(thing.__qualname__) if compiled else None


def untyped(_app: Any, what: str, _name: str, _thing: Any, _options: Any, lines: list[str]) -> None:
    """Napoleon takes what stands before a colon for the type of an attribute; ours have annotations, so here is an empty one."""
    if what in ("attribute", "data", "property") and lines:
        lines[0] = f": {lines[0]}"


def setup(app: Any) -> None:
    app.connect("autodoc-process-docstring", untyped, priority=400)
    app.connect("autodoc-process-signature", typed_signature)
