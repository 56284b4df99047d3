"""Names in generated source: identifiers that hide nothing, and comments that stay comments."""

import builtins
import keyword
import re
import unicodedata

import numpy as np

DTYPES = {np.dtype(code).name for code in np.typecodes["All"] if np.dtype(code).kind in "biufc"}
RUNTIME = {
    "np", "math", "ndarray", "disagree", "pool", "arena", "broadcast", "nonnegative", "c_float",
}  # fmt: skip
RESERVED = RUNTIME | DTYPES | {f"{d}_type" for d in DTYPES} | {*dir(builtins)}


def identifier(wanted: str) -> str:
    """`wanted` as an identifier, with underscores for characters that Python does not allow."""
    if wanted.isascii() and wanted.isidentifier():
        return f"_{wanted}" if keyword.iskeyword(wanted) else wanted
    name = re.sub(r"\W", "_", unicodedata.normalize("NFKC", wanted))  # as Python reads it
    if not name.isidentifier():
        name = re.sub(r"\W|^(?=\d)|^$", "_", name, flags=re.ASCII)
    return f"_{name}" if keyword.iskeyword(name) else name


def comment(text: str) -> str:
    """`text` as a comment of one line, whatever names are in it."""
    return text if text.isprintable() else ascii(text)[1:-1]
