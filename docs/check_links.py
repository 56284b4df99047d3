"""Checks the links of a site within it: each names a file, and an anchor, that is there.

`python docs/check_links.py build/site` prints what is missing, and fails if anything is.
"""

import sys
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

TARGETS = {"href", "src"}


class Page(HTMLParser):
    """The links and the anchors of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = {""}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what a tag refers to, and by what it can be referred to."""
        for name, value in attrs:
            if value is not None and name in TARGETS:
                self.links.append(value)
            elif value is not None and name in ("id", "name"):
                self.anchors.add(value)


@cache
def page(path: Path) -> Page:
    """A page that has been read."""
    return Page(path.read_text(encoding="utf-8"))


def broken(path: Path) -> Iterator[str]:
    """The links of a page that lead nowhere."""
    for link in page(path).links:
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            continue
        target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
        if not target.is_file():
            yield f"{link}: there is no such file"
        elif target.suffix == ".html" and unquote(parts.fragment) not in page(target).anchors:
            yield f"{link}: the page has no such anchor"


def main(folder: str) -> int:
    """Print the broken links of all pages; how many there are."""
    root = Path(folder).resolve()
    pages = sorted(root.rglob("*.html"))
    found = [
        f"{path.relative_to(root)}: {why}" for path in pages for why in dict.fromkeys(broken(path))
    ]
    print("\n".join([*found, f"{len(pages)} pages, {len(found)} broken links"]))
    return len(found)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]) > 0)
