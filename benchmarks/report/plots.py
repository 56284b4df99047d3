"""Charts as SVG: a line of marks for each row, on a logarithmic axis."""

import math
from collections.abc import Mapping, Sequence
from html import escape

WIDTH, LEFT, TOP, HEIGHT = 1000, 412, 82, 22  # pixels; the last is that of a row
LETTER = 6.3  # pixels of a letter, on average
COLOURS = (
    "#222222", "#d62728", "#c5b0d5", "#9467bd", "#5b2a86", "#e377c2", "#ff7f0e", "#ffbb78",
    "#1f77b4", "#8c564b", "#c49c94", "#2ca02c", "#bcbd22", "#17becf", "#7f7f7f",
)  # fmt: skip
Series = Mapping[str, float]


def chart(title: str, rows: Sequence[tuple[str, Series]], names: Sequence[str]) -> str:
    """A chart of positive values: `rows` are labels with a value for some of the names."""
    rows = [(label, {n: values[n] for n in names if n in values}) for label, values in rows]
    found = [v for _, values in rows for v in values.values() if v > 0]
    low, high = limits(found)
    place = lambda v: LEFT + (WIDTH - LEFT - 20) * math.log(v / low) / math.log(high / low)
    end = TOP + HEIGHT * len(rows)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {end + 30}"'
        ' font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{end + 30}" fill="white"/>',
        f'<text x="10" y="18" font-size="15">{escape(title)}</text>', *legend(names),
        *axis(low, high, place, end),
    ]  # fmt: skip
    for i, (label, values) in enumerate(rows):
        parts += line(label, values, names, place, TOP + HEIGHT * i + HEIGHT / 2)
    return "\n".join([*parts, "</svg>\n"])


def limits(values: Sequence[float]) -> tuple[float, float]:
    """Powers of ten around the values."""
    low, high = min(values, default=1), max(values, default=10)
    ends = math.floor(math.log10(low)), math.ceil(math.log10(high))
    return 10.0 ** ends[0], 10.0 ** max(ends[1], ends[0] + 1)


def legend(names: Sequence[str]) -> list[str]:
    """A mark and a name for each series, in three lines."""
    parts, third = [], (len(names) + 2) // 3
    for i, name in enumerate(names):
        x, y = 20 + (i % third) * (WIDTH - 40) / third, 34 + 17 * (i // third)
        parts += [mark(i, x, y, name), f'<text x="{x + 9:.0f}" y="{y + 4}">{escape(name)}</text>']
    return parts


def axis(low: float, high: float, place: object, end: float) -> list[str]:
    """Lines at 1, 2 and 5 times the powers of ten, and their numbers."""
    assert callable(place)
    parts, power = [], round(math.log10(low))
    while 10.0**power <= high:
        for factor in (1, 2, 5):
            value = factor * 10.0**power
            if value <= high * 1.0001:
                x, colour = place(value), "#bbb" if factor == 1 else "#eee"
                parts.append(f'<path d="M{x:.1f} {TOP}V{end}" stroke="{colour}"/>')
            if factor == 1:
                parts.append(f'<text x="{x:.1f}" y="{end + 16}" text-anchor="middle">'
                             f"{value:g}</text>")  # fmt: skip
        power += 1
    return parts


def line(label: str, values: Series, names: Sequence[str], place: object, y: float) -> list[str]:
    """The label of a row, and the marks of its values."""
    assert callable(place)
    text = f'<text x="{LEFT - 10}" y="{y + 4:.1f}" text-anchor="end">{escape(label)}</text>'
    rule = f'<path d="M{LEFT} {y:.1f}H{WIDTH - 20}" stroke="#f4f4f4"/>'
    marks = [mark(i, place(values[n]), y, f"{n}: {values[n]:.3g}")
             for i, n in enumerate(names) if values.get(n, 0) > 0]  # fmt: skip
    return [text, rule, *marks]


def mark(i: int, x: float, y: float, title: str) -> str:
    """A circle, square or diamond in the colour of series i, with a tooltip."""
    shape = (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5"',
        f'<rect x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8"',
        f'<path d="M{x - 5.5:.1f} {y:.1f}l5.5 -5.5 5.5 5.5 -5.5 5.5z"',
    )[i % 3]
    tag = shape[1 : shape.index(" ")]
    colour = COLOURS[i % len(COLOURS)]
    return f'{shape} fill="{colour}" fill-opacity="0.85"><title>{escape(title)}</title></{tag}>'
