"""Pages of reStructuredText that scripts write: their titles, and the folder they are in."""

from collections.abc import Iterable
from pathlib import Path


def heading(title: str, line: str) -> str:
    """A title, underlined."""
    return f"{title}\n{line * len(title)}"


def write(folder: Path, pages: Iterable[tuple[str, str]]) -> None:
    """Write pages by their names; those that were there before and have gone are removed."""
    folder.mkdir(exist_ok=True)
    texts = dict(pages)
    for path in folder.glob("*.rst"):
        if path.stem not in texts:
            path.unlink()
    for name, text in texts.items():
        (folder / f"{name}.rst").write_text(text, encoding="utf-8")
