"""Source locations as lines of the user's program."""

import re

from ..core.notebook_cells import cell_of
from ..core.source_location import Place, line_number, source_line
from .model import SourceLine

FROM_FILE = re.compile(r"<(.*\.py|In\[\d+\])>")
"""The name of a source file in a graph that was loaded; nothing is looked up under it."""


def source_line_of(place: Place) -> SourceLine:
    """The line of a source location, with its text."""
    file, line, function = place[0].co_filename, line_number(place), place[0].co_name
    name = "" if function == "<module>" else function
    text = source_line(file, line)
    if FROM_FILE.fullmatch(file):
        file = file[1:-1]
    return SourceLine(cell_of(file) or file, line, name, text)
