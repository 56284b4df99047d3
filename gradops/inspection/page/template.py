"""The HTML of a page: its assets and data in one file, which loads nothing and sends nothing."""

import base64
import hashlib
import html
import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from .packing import packed
from .stages import Picture

SCRIPTS = ("data", "search", "arrange", "draw", "pane", "memory", "panel", "main")
SLOT = re.compile("@(policy|title|style|data|script)@")


def page(pictures: Sequence[Picture], title: str = "graph") -> str:
    """One self-contained HTML page of pictures: of one graph, or of a graph and a tape.

    Its policy forbids the browser to load anything, and to run any script but the page's own.
    """
    shown = title.encode("utf-8", "replace").decode()  # surrogates are no text
    slots = {"title": html.escape(shown), "data": packed(pictures, title), **shell()}
    return SLOT.sub(lambda slot: slots[slot[1]], asset("page.html"))


@cache
def shell() -> dict[str, str]:
    """Style, script and the policy that allows these alone."""
    style = asset("page.css")
    script = '"use strict";\n' + "\n".join(asset(f"{name}.js") for name in SCRIPTS)
    policy = (
        "default-src 'none'; base-uri 'none'; form-action 'none'; "
        f"script-src '{digest(script)}'; style-src '{digest(style)}'"
    )
    return {"style": style, "script": script, "policy": policy}


def digest(text: str) -> str:
    """The hash by which a policy allows a text."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


@cache
def asset(name: str) -> str:
    """A file of this folder."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8")
