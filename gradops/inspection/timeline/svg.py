"""Pieces of pictures: elements of SVG, harmless texts, scales, and a style for light and dark."""

from collections.abc import Iterable, Sequence
from html import escape

from ..formats.labels import shown

LETTER = 6.4  # the width of a letter, about
STYLE = """\
svg{--paper:#fff;--ink:#1c2024;--faint:#60666d;--line:#d8dbdf;
background:var(--paper);font:12px system-ui,"Segoe UI","DejaVu Sans",sans-serif}
@media (prefers-color-scheme:dark){
svg{--paper:#15181c;--ink:#eceef1;--faint:#a3abb5;--line:#3a4149}}
text{fill:var(--ink)}.faint{fill:var(--faint)}.grid{stroke:var(--line);fill:none}
.title{font-size:15px;font-weight:600}.end{text-anchor:end}.middle{text-anchor:middle}
.mark{stroke:var(--ink);fill:none;stroke-dasharray:4 3}.paper{fill:var(--paper)}
.hover{fill:transparent}.hover:hover{fill:var(--ink);fill-opacity:.12}"""


def picture(
    width: float, height: float, title: str, parts: Iterable[str], style: str = "", defs: str = ""
) -> str:
    """A picture: an SVG document without scripts, links and fonts of its own."""
    size = f'width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">'
    about = f"<title>{plain(title, 200)}</title><style>{STYLE}\n{style}</style>"
    paper = f'<rect class="paper" width="{width:g}" height="{height:g}"/>'
    return "\n".join([head, about, defs, paper, *parts, "</svg>"]) + "\n"


def plain(content: str, longest: int) -> str:
    """A text of the user in a picture: short, visible and without markup."""
    return escape(shown(content, longest))


def text(x: float, y: float, content: str, kind: str = "", longest: int = 60) -> str:
    """A line of text."""
    return f'<text{css(kind)} x="{x:g}" y="{y:g}">{plain(content, longest)}</text>'


def rectangle(
    x: float, y: float, width: float, height: float, kind: str = "", tip: str | Sequence[str] = ""
) -> str:
    """A rectangle; `tip` is shown where a person points at it, a line for each string."""
    size = f'x="{x:.2f}" y="{y:.2f}" width="{max(width, 0):.2f}" height="{max(height, 0):.2f}"'
    lines = [tip] if isinstance(tip, str) else tip
    inner = "\n".join(plain(line, 160) for line in lines if line)
    return f"<rect{css(kind)} {size}>" + (f"<title>{inner}</title>" if inner else "") + "</rect>"


def line(x1: float, y1: float, x2: float, y2: float, kind: str = "grid") -> str:
    """A straight line."""
    return f'<path{css(kind)} d="M{x1:.2f} {y1:.2f}L{x2:.2f} {y2:.2f}"/>'


def css(kind: str) -> str:
    """The attribute for classes."""
    return f' class="{kind}"' if kind else ""


def round_steps(top: float, count: int = 4) -> list[float]:
    """About `count` round numbers from 0 up to `top`."""
    if top <= 0:
        return [0.0]
    unit = 10.0 ** (len(f"{top / count:.0f}") - 1) if top / count >= 1 else 1.0
    step = next(unit * k for k in (1, 2, 5, 10) if unit * k * count >= top)
    return [k * step for k in range(int(top / step) + 1)]
