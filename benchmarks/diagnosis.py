"""The cost of storing source lines: the packages against a copy without it, interleaved.

make bench-scale
"""

import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
NOTING = re.compile(
    r"^( +)frame = (?:sys\.)?_getframe.*?node\.code, node\.offset = [^\n]*$",
    re.DOTALL | re.MULTILINE,
)
RUN = """
import json
from benchmarks.columns import LIBRARIES
from benchmarks.measure.timing import medians
from benchmarks.rows import BY_KEY
eager = next(lib for lib in LIBRARIES if lib.name == "dynamicgrad")
rows = [BY_KEY[key] for key in ("scalar", "bce", "mlp")]
runs = {w.title: eager.build(w, *w.inputs(w.sizes)) for w in rows}
print(json.dumps(medians(runs)))
"""
ROUNDS = 7


def without_lines(target: Path) -> None:
    """Copy the packages to `target`, and remove the code that stores source lines."""
    for name in ("gradops", "dynamicgrad", "staticgrad", "benchmarks"):
        shutil.copytree(HERE.parent / name, target / name)
    removed = 0
    for path in (target / "dynamicgrad").rglob("*.py"):
        text, count = NOTING.subn(r"\1node.code, node.offset = None, 0", path.read_text())
        path.write_text(text)
        removed += count
    assert removed, "nothing notes lines any more where this looks for it"


def measured(root: Path) -> dict[str, float]:
    """The median microseconds of each workload with the packages at `root`."""
    env = {**os.environ, "PYTHONPATH": str(root)}
    done = subprocess.run([sys.executable, "-c", RUN], cwd=root, env=env, stdout=subprocess.PIPE)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def main() -> None:
    """Print the table as Markdown."""
    with tempfile.TemporaryDirectory() as folder:
        roots = {"with lines": HERE.parent, "without": Path(folder)}
        without_lines(roots["without"])
        found = [{name: measured(root) for name, root in roots.items()} for _ in range(ROUNDS)]
    print("\n| eager, us | with lines | without | cost |\n|---|--:|--:|--:|")
    for title in found[0]["with lines"]:
        a, b = (statistics.median(f[name][title] for f in found) for name in roots)
        print(f"| {title} | {a:.1f} | {b:.1f} | {a / b - 1:.1%} |")


if __name__ == "__main__":
    main()
