"""Docstrings as reStructuredText: only what stands between backticks has a meaning in ours."""

import re

CODE = re.compile(r"(`[^`]*`)")
MARK = re.compile(r"(?m)(?<!^)([*|])")  # at the start of a line it is that of a list


def as_rest(lines: list[str]) -> list[str]:
    """The lines of a docstring with marks escaped that reStructuredText would read."""
    found: list[str] = []
    for paragraph in paragraphs(lines):
        if any(line.lstrip().startswith(">>>") for line in paragraph):
            found += paragraph
        elif any(re.match(r" +[*-] ", line) for line in paragraph):  # a tree, to be left as it is
            found += ["::", "", *(f"   {line}" for line in paragraph)]
        else:
            found += escaped("\n".join(paragraph)).split("\n")
        found.append("")
    return found


def paragraphs(lines: list[str]) -> list[list[str]]:
    """The lines between blank ones."""
    return [part.split("\n") for part in re.split(r"\n\s*\n", "\n".join(lines).strip("\n")) if part]


def escaped(text: str) -> str:
    """A paragraph with marks escaped outside of code, and none joined to a word."""
    parts = CODE.split(text)
    for i, part in enumerate(parts):
        if i % 2 == 0:
            joined = "\\ " if i and re.match(r"[\w(]", part) else ""
            parts[i] = joined + MARK.sub(r"\\\1", part)
    return "".join(parts)
