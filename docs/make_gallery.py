"""Writes docs/gallery.md, with a picture of each example: `make docs`.

`python docs/make_gallery.py pictures` runs examples, and draws what contrasts print and what others
compute; plots need matplotlib.
"""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from textwrap import wrap
from xml.sax.saxutils import escape

sys.path.insert(0, str(Path(__file__).parent))

import gallery_plots
import make_contrasts
import make_science
from make_contrasts import split

DOCS = Path(__file__).resolve().parent
PAGE, PICTURES, EXAMPLES = DOCS / "gallery.md", DOCS / "gallery", DOCS.parent / "examples"
DRAWN = {
    "digits_mlp": "explanation/pictures/mlp.png",
    "text_networks": "explanation/pictures/block.png",
}
"""Pictures of other pages that show an example, or its graph."""
HEAD = """\
# Gallery

Made from the examples by `make docs`; do not edit. After `make demo`, `.venv/bin/python
examples/NAME.py` runs one.
"""
COLUMN, LINE, MARGIN, TOP = 7.25, 17, 14, 40  # pixels
WIDEST = 54  # columns of a panel
STYLE = (
    "text{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;"
    "fill:#dfe3e8;white-space:pre}.title{fill:#7cc4ff;font-weight:600}"
)


def page() -> str:
    """The text of the page."""
    return "\n".join([HEAD, *chapters()])


def chapters() -> Iterator[str]:
    """Titles, and the parts below them."""
    yield "## Both ways\n"
    yield from [part(name, f"gallery/{name}.svg") for name in gallery_plots.PLOTS]
    yield from [part(name, picture) for name, picture in DRAWN.items()]
    yield "## Science\n"
    yield from [part(f"science/{n}", f"explanation/pictures/{n}.png") for n in make_science.ORDER]
    yield "## Contrasts\n"
    yield from [part(f"contrasts/{n}", f"gallery/{n}.svg") for n in make_contrasts.ORDER]


def part(name: str, picture: str) -> str:
    """What an example shows, and its picture."""
    path = EXAMPLES / f"{name}.py"
    title, *text = split(path.read_text(encoding="utf-8"))[0].split("\n\n")
    shown = [" ".join(title.split()).rstrip("."), *text[:1], f"![{path.stem}]({picture})"]
    return "### " + "\n\n".join([*shown, f"[examples/{name}.py](../examples/{name}.py)\n"])


def draw() -> None:
    """Draw what contrasts print, and plots of what other examples compute."""
    PICTURES.mkdir(exist_ok=True)
    for name in make_contrasts.ORDER:
        panels = list(sections(make_contrasts.printed_by(EXAMPLES / "contrasts" / f"{name}.py")))
        (PICTURES / f"{name}.svg").write_text(picture(panels), encoding="utf-8")
    gallery_plots.draw(list(gallery_plots.PLOTS), PICTURES)


Panel = tuple[str, Sequence[str]]
"""A title, and lines."""


def sections(text: str) -> Iterator[Panel]:
    """The parts of what a contrast prints: a line without indentation, and those below it."""
    title, lines = "", list[str]()
    for line in text.splitlines():
        if line[:1].strip():
            if lines:
                yield title, lines
            title, lines = line, []
        else:
            lines.append(line[2:])
    yield title, lines


def folded(line: str) -> list[str]:
    """The line in parts that fit a panel; those after the first are indented further."""
    indent = " " * (len(line) - len(line.lstrip()) + 4)
    return wrap(line, WIDEST, subsequent_indent=indent) or [""]


def picture(panels: Sequence[Panel]) -> str:
    """Panels beside each other, as text on a dark card that is legible on any page."""
    shown = [(title, [part for line in lines for part in folded(line)]) for title, lines in panels]
    columns = [max(map(len, (title, *lines))) for title, lines in shown]
    widths = [2 * MARGIN + COLUMN * n for n in columns]
    height = TOP + LINE * max(len(lines) for _, lines in shown) + MARGIN - LINE / 2
    starts = [sum(widths[:i]) for i in range(len(widths))]
    body = "".join(map(panel, starts, shown))
    rules = "".join(f'<path d="M{x:g} 12V{height - 12:g}" stroke="#4a525c"/>' for x in starts[1:])
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {sum(widths):g} {height:g}"'
        f' width="{sum(widths):g}"><style>{STYLE}</style>'
        f'<rect width="100%" height="100%" rx="8" fill="#22272e"/>{rules}{body}</svg>\n'
    )


def panel(x: float, shown: Panel) -> str:
    """A title, and the lines below it."""
    title, lines = shown
    rows = [(TOP + LINE * i, line) for i, line in enumerate(lines)]
    texts = [f'<text x="{x + MARGIN:g}" y="{y}">{escape(line)}</text>' for y, line in rows if line]
    return f'<text x="{x + MARGIN:g}" y="20" class="title">{escape(title)}</text>' + "".join(texts)


def main() -> None:
    """Write the page, and the pictures if they are asked for."""
    if sys.argv[1:] == ["pictures"]:
        draw()
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
