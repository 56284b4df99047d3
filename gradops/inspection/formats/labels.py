"""Texts of nodes in pictures: short, on one line each, and harmless whatever is in a name."""

import re
import unicodedata
from functools import lru_cache

from ..model import NodeView, Role

LONGEST = 60  # characters of a name that a picture shows
UNSAFE = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]"
    r"|[\ud800-\udfff\ufffe\uffff]"
)
"""Control characters, marks that turn the direction of text, and what XML does not allow."""


def visible(text: str) -> str:
    r"""The text with characters that cannot be seen, or change what others look like, as codes.

    >>> visible("a\nb")
    'a\\nb'
    """
    return UNSAFE.sub(lambda match: code_of(match[0]), text)


@lru_cache
def code_of(character: str) -> str:
    """A character as Python's source has it."""
    text = character.encode("unicode_escape").decode()
    return text if text != character else f"\\u{ord(character):04x}"


@lru_cache(maxsize=4096)
def shown(text: str, longest: int = LONGEST) -> str:
    """The text as a picture shows it: what can be seen, with the middle of a long one left out."""
    if len(text) > longest:
        half = (longest - 1) // 2
        text = f"{text[:half]}…{text[-half:]}"
    while text and unicodedata.combining(text[0]):  # it would join what stands before it
        text = text[1:]
    return visible(text)


def label_lines(n: NodeView) -> list[str]:
    """The lines of a node's label: the title, the op unless it is that, type, value, results."""
    title = n.title
    lines = [shown(title)]
    if n.role is Role.CONSTANT and n.value is not None:
        lines[0] = shown(n.value)
    elif not n.is_leaf and n.op != title:
        lines.append(shown(n.op))
    if n.dtype:
        lines.append(shown(n.type))
    labels = [label for label in n.outputs if label not in (n.name, title)]
    return [*lines, *(f"= {shown(label)}" for label in labels)]


def tooltip(n: NodeView) -> str:
    """The name of a node, its attributes, saved values and line of code, on one line."""
    said = n.name
    if n.attrs:
        said += "; " + ", ".join([f"{k}={v}" for k, v in n.attrs.items()])
    if n.saved:
        said += "; keeps " + ", ".join([f"{s.name} ({s.nbytes} bytes)" for s in n.saved])
    if n.places:
        said += f"; {n.places[0].short}: {n.places[0].text}"
    return shown(said, 300) if len(said) > 300 or not said.isprintable() else said
