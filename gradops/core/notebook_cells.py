"""Names of the cells of notebooks, and what is defined in them, if IPython runs."""

import re
import sys
from typing import Any

PLAIN = re.compile(r"<ipython-input-(\d+)-[0-9a-f]+>")
MARKS = ("<ipython-input-", "ipykernel_")
"""In the names of files that cells are compiled as."""


def cell_of(filename: str) -> str | None:
    """The name of the cell that was compiled as a file, `In[3]`; None for any other file.

    >>> cell_of("<ipython-input-3-1a2b3c>")
    'In[3]'
    """
    if not any(mark in filename for mark in MARKS):
        return None
    if (found := PLAIN.fullmatch(filename)) is not None:
        return f"In[{found[1]}]"
    try:  # of a kernel, which hashes the source of a cell
        number = shell().compile._filename_map[filename]
    except (AttributeError, KeyError, TypeError):
        return None
    return f"In[{number}]"


def shell() -> Any:
    """The shell of IPython that runs; None if none does."""
    get_ipython = getattr(sys.modules.get("IPython"), "get_ipython", None)
    return get_ipython() if get_ipython is not None else None


def defined_in_cells() -> dict[str, Any]:
    """The variables of the notebook; empty outside of one."""
    found = getattr(shell(), "user_ns", None)
    return dict(found) if isinstance(found, dict) else {}
