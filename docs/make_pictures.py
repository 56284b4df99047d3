"""Writes docs/explanation/pictures: the pages that read-a-graph.md makes, seen in a browser."""

import doctest
import io
import os
import re
import sys
import tempfile
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.inspection.browser import Page, start  # noqa: E402

TEXT = ROOT / "docs" / "explanation" / "read-a-graph.md"
PICTURES = ROOT / "docs" / "explanation" / "pictures"
SIZE = 1280, 760
NODE = "app.pane.picture.names.indexOf('{}')"
SELECT = f"app.select(app.pane, {NODE}, {{{{ show: true, keepPanel: true }}}})"
CONV1 = "app.pane.picture.folders.findIndex(([title]) => title === 'conv1')"
STORIES = {  # page, and what is done before it is taken
    "mlp": ("mlp.html", SELECT.format("output/matmul")),
    "passes": ("compiled.html", "app.showStage(3)", "app.showPanel('passes')"),
    "code": (
        "compiled.html", "app.nextColor()", "app.showPanel('code')",
        SELECT.format("output/matmul"),
    ),
    "memory": ("compiled.html", "app.setTheme('dark')", "app.showPanel('memory')"),
    "cnn": ("cnn.html", f"app.pane.toggle({CONV1})"),
    "lstm": ("lstm.html", SELECT.format("lstm/scan/loop"), "app.pane.enter()"),
    "block": ("block.html", "app.setTheme('dark')", SELECT.format("block/self_attn/softmax")),
    "both": ("both.html", "app.showView(2)", SELECT.format("tanh")),
}  # fmt: skip


def main() -> None:
    """Run the page's examples in an empty folder, and take a picture of each story."""
    os.environ.setdefault("STATICGRAD_COSTS", "default")
    driver = start()
    driver.set_window_size(SIZE[0], SIZE[1] + 143)  # with what a window has around a page
    try:
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            run_examples()
            for name, (file, *actions) in STORIES.items():
                opened = Page(driver, file)
                for action in actions:
                    opened.do(action)
                opened.settle()
                save(driver.get_screenshot_as_png(), PICTURES / f"{name}.png")
            os.chdir(ROOT)
    finally:
        driver.quit()


def save(png: bytes, path: Path) -> None:
    """Write a picture in few colors, which takes a third of the space."""
    with Image.open(io.BytesIO(png)) as image:
        image.convert("RGB").quantize(96).save(path, optimize=True)


def run_examples() -> None:
    """Run the blocks of the page, which write its files."""
    blocks = re.findall(r"```python\n(.*?)```", TEXT.read_text(encoding="utf-8"), re.DOTALL)
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, TEXT.name, str(TEXT), 0)
    assert not doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test).failed


if __name__ == "__main__":
    main()
