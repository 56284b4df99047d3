"""Source locations as lines of the user's program."""

import re

from ..core.source_location import Place, line_number, source_line
from .model import SourceLine

FROM_FILE = re.compile(r"<.*\.py>")
"""The name of a source file in a graph that was loaded; nothing is looked up under it."""


def source_line_of(place: Place) -> SourceLine:
    """The line of a source location, with its text."""
    file, line, function = place[0].co_filename, line_number(place), place[0].co_name
    name = "" if function == "<module>" else function
    text = source_line(file, line)
    return SourceLine(file[1:-1] if FROM_FILE.fullmatch(file) else file, line, name, text)
