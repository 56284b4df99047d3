"""Subjects of lines of a function: marks in its text, with the numbers of subjects.

A mark is a comment, the same for equal graphs. What the subject is, and where the user wrote it, is
said when somebody reads the text.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from .text import FunctionText

MARK = "  ;@"


@contextmanager
def about(f: FunctionText, subject: object) -> Iterator[None]:
    """Mark the lines that are written inside the `with` block as those for a subject."""
    before, f.subject = f.subject, len(f.subjects)
    f.subjects.append(subject)
    remind(f)
    try:
        yield
    finally:
        f.subject = before
    remind(f)


def remind(f: FunctionText) -> None:
    """Mark the lines from here on, as those for the present subject or for none."""
    f.lines.append(MARK + ("" if f.subject is None else str(f.subject)))
