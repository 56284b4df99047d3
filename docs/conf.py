"""The site: Sphinx, furo and MyST. `make site` builds it into build/site."""

import re
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

import make_name_pages  # noqa: E402
import make_op_pages  # noqa: E402
from docstrings import as_rest  # noqa: E402
from rest_pages import write  # noqa: E402

project = "staticgrad"
author = "The staticgrad authors"
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx_copybutton", "sphinx_design"]
exclude_patterns = ["**/.ipynb_checkpoints"]

html_theme = "furo"
html_title = "staticgrad"
html_copy_source = False
html_static_path = ["static"]
html_css_files = ["site.css"]
copybutton_prompt_text = r">>> |\.\.\. "
copybutton_prompt_is_regexp = True

myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_timeout = 120

default_role = "literal"
autodoc_typehints_format = "fully-qualified"
autodoc_member_order = "bysource"
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88

NUMBER = re.compile(r"bool \| int \| float \| complex \| numpy\.generic")
DOTTED = re.compile(r"\b[a-z]\w*(?:\.\w+)+|(?<![\w.])type(?=[\[ |,)])")
UNSAID = (
    "collections.abc.", "typing.", "os.", "numpy.random.", "gradops.", "staticgrad.",
    "dynamicgrad.",
)  # fmt: skip
PUBLIC = {"type": "builtins.type", **make_name_pages.public_classes()}


def docstring(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Give Sphinx a docstring in the markup that it reads."""
    lines[:] = as_rest(lines)


def signature(
    app: Any, what: str, name: str, thing: Any, options: Any, call: str | None, result: str | None
) -> tuple[str | None, str | None]:
    """Types by their public names, to which they are linked."""
    return public(call), public(result)


def public(text: str | None) -> str | None:
    """A part of a signature in public names; `type` is Python's, whatever else has that name."""
    return text and DOTTED.sub(public_name, NUMBER.sub("Number", text))


def public_name(found: re.Match[str]) -> str:
    """The name of a type: without its module, where that says nothing to a user."""
    path = PUBLIC.get(found[0], found[0])
    return path.rpartition(".")[2] if path.startswith(UNSAID) and path == found[0] else path


def generate(app: Any) -> None:
    """Write the pages that are made of tables."""
    for pages in (make_op_pages, make_name_pages):
        write(pages.FOLDER, pages.pages())


def setup(app: Any) -> None:
    """Connect the above."""
    app.connect("builder-inited", generate)
    app.connect("autodoc-process-docstring", docstring)
    app.connect("autodoc-process-signature", signature)
