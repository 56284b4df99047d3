"""The colours of the page for documents without scripts: light, or dark as the system is."""

import re

from .template import asset

THEME = re.compile(r"^:root(?P<dark>\[data-theme=\"dark\"\])? \{\n(?P<colours>.*?)^\}", re.M | re.S)


def palette() -> str:
    """The style sheet's variables, with those of the dark theme where the system asks for it.

    >>> from gradops.inspection.page.palette import palette
    >>> palette().splitlines()[0], "@media (prefers-color-scheme: dark)" in palette()
    (':root {', True)
    """
    themes = {bool(m["dark"]): m["colours"] for m in THEME.finditer(asset("page.css"))}
    dark = "@media (prefers-color-scheme: dark) {\n:root {\n" + themes[True] + "}\n}\n"
    return ":root {\n" + themes[False] + "}\n" + dark
