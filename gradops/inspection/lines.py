"""Source locations as lines of the user's program."""

from ..core.source_location import Place, line_number, source_line
from .model import SourceLine


def source_line_of(place: Place) -> SourceLine:
    """The line of a source location, with its text."""
    file, line, function = place[0].co_filename, line_number(place), place[0].co_name
    name = "" if function == "<module>" else function
    return SourceLine(file, line, name, source_line(file, line))
