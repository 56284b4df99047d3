"""Writes docs/gallery.md, with a picture of each example: `make docs`.

`python docs/make_gallery.py pictures` runs examples, and draws what they print.
"""

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

sys.path.insert(0, str(Path(__file__).parent))

import make_contrasts
import make_science
from make_contrasts import split

DOCS = Path(__file__).resolve().parent
PAGE, PICTURES, EXAMPLES = DOCS / "gallery.md", DOCS / "gallery", DOCS.parent / "examples"
DRAWN = {
    "two_ways": "how-to/pictures/compare.png",
    "digits_mlp": "explanation/pictures/mlp.png",
    "digits_cnn": "explanation/pictures/cnn.png",
    "text_networks": "explanation/pictures/block.png",
}
"""Pictures of other pages that show an example, or its graph."""
PRINTED = (
    "plain_numpy", "scipy_fit", "loop_twice", "elsewhere", "onnx_training", "characters",
    "characters_graph",
)  # fmt: skip
HEAD = """\
# Gallery

Made from the examples by `make docs`; do not edit. After `make demo`, `.venv/bin/python
examples/NAME.py` runs one.
"""
COLUMN, LINE, MARGIN, TOP = 7.25, 17, 14, 40  # pixels
MOST = (22, 96)  # lines and columns that a picture shows
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
    yield from [part(name, picture) for name, picture in DRAWN.items()]
    yield from [part(name, f"gallery/{name}.svg") for name in PRINTED]
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
    """Draw the pictures of what examples print."""
    PICTURES.mkdir(exist_ok=True)
    for name in make_contrasts.ORDER:
        panels = list(sections(make_contrasts.printed_by(EXAMPLES / "contrasts" / f"{name}.py")))
        (PICTURES / f"{name}.svg").write_text(picture(panels), encoding="utf-8")
    for name in PRINTED:
        shown = [(f"python examples/{name}.py", printed(EXAMPLES / f"{name}.py"))]
        (PICTURES / f"{name}.svg").write_text(picture(shown), encoding="utf-8")


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


def printed(path: Path) -> list[str]:
    """What an example prints."""
    environment = os.environ | {"PYTHONPATH": str(DOCS.parent), "COLUMNS": str(MOST[1])}
    done = subprocess.run(
        [sys.executable, str(path)], capture_output=True, text=True, check=True, env=environment
    )
    return done.stdout.rstrip().splitlines()


def picture(panels: Sequence[Panel]) -> str:
    """Panels beside each other, as text on a dark card that is legible on any page."""
    shown = [(title, [line[: MOST[1]] for line in lines[: MOST[0]]]) for title, lines in panels]
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
