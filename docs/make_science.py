"""Writes docs/explanation/science.md from examples/science, with a picture each: `make docs`.

Pictures are drawn by matplotlib with `python docs/make_science.py pictures`.
"""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

from make_contrasts import split  # noqa: E402

PAGE = ROOT / "docs" / "explanation" / "science.md"
PICTURES = ROOT / "docs" / "explanation" / "pictures"
SCRIPTS = ROOT / "examples" / "science"
ORDER = (
    "lynx_and_hare", "gaussian_process", "hidden_markov", "kalman_filter", "kinetics",
    "conductivity", "optimal_control", "bundle_adjustment",
)  # fmt: skip
HEAD = """\
# Science

Eight fits and designs as scientists write them: NumPy, SciPy, and one import more. A test runs each
script and checks what it prints.
"""
NO_TEST = "<!-- no-test: tests/examples runs the script -->"


def page() -> str:
    """The text of the page."""
    return "\n".join([HEAD, *[part(SCRIPTS / f"{name}.py") for name in ORDER]])


def part(path: Path) -> str:
    """The part about one script: what it shows, its picture, its code, and what it prints."""
    doc, code, printed = split(path.read_text(encoding="utf-8"))
    title, _, text = doc.partition("\n\n")
    link = path.relative_to(ROOT).as_posix()
    return (
        f"## {title.rstrip('.')}\n\n{text}\n\n![{title.rstrip('.')}](pictures/{path.stem}.png)\n\n"
        f"[{link}](../../{link}):\n\n{NO_TEST}\n```python\n{code}```\n\n```text\n{printed}\n```\n"
    )


def module(path: Path) -> ModuleType:
    """A script as a module."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def draw(path: Path) -> None:
    """Draw the picture of a script."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot

    figure, plot = pyplot.subplots(figsize=(6.4, 3.2), layout="constrained")
    module(path).draw(plot)
    figure.savefig(PICTURES / f"{path.stem}.png", dpi=100)
    pyplot.close(figure)


def main() -> None:
    """Write the page, and the pictures if they are asked for."""
    if sys.argv[1:] == ["pictures"]:
        for name in ORDER:
            draw(SCRIPTS / f"{name}.py")
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
