"""Every Python block of the documentation runs.

The blocks of one file share a namespace and run in an empty folder; a block of `>>>` examples must
also print what it shows. `<!-- no-test: reason -->` on the line before a block exempts it,
`<!-- needs: package -->` where a package is not installed; below the title it is of the whole file.
"""

import doctest
import pkgutil
import re
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from textwrap import dedent

import pytest

import staticgrad as sg

ROOT = Path(__file__).resolve().parents[2]
FILES = [path for path in [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))] if path.exists()]

BLOCK = re.compile(
    r"""
    ^ (?: [ ]* <!-- \s* no-test (?P<exempt> .* ) --> \s*? \n )?
    (?: [ ]* <!-- \s* needs: \s* (?P<needs> \w+ ) \s* --> \s*? \n )?
    (?P<indent> [ ]* ) ```python \b .* \n
    (?P<code> (?: .* \n )*? )
    (?P=indent) ``` [ ]* $
    """,
    re.MULTILINE | re.VERBOSE,
)


@dataclass(frozen=True)
class Block:
    """A Python block, what the comments before it say, and if it can run here."""

    code: str
    line: int
    exempt: str | None
    needs: str | None = None

    @property
    def can_run(self):
        return self.exempt is None and (self.needs is None or find_spec(self.needs) is not None)


NEEDS = re.compile(r"# .*\n+<!-- needs: (\w+) -->")


def blocks_of(path):
    """The Python blocks of a Markdown file, in order."""
    text = path.read_text(encoding="utf-8")
    return [
        Block(dedent(m["code"]), text.count("\n", 0, m.start("code")) + 1, m["exempt"], m["needs"])
        for m in BLOCK.finditer(text)
    ]


def run(block, path, namespace):
    """Run a block so that a traceback shows the file and the line that one would edit."""
    if block.code.lstrip().startswith(">>>"):
        check_examples(block, path, namespace)
    else:
        exec(compile("\n" * (block.line - 1) + block.code, str(path), "exec"), namespace)


def check_examples(block, path, namespace):
    """Run `>>>` examples; what they define is there for the blocks that follow."""
    parser = doctest.DocTestParser()
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
    test = parser.get_doctest(block.code, namespace, path.name, str(path), block.line - 1)
    report = []
    runner.run(test, out=report.append, clear_globs=False)
    namespace.update(test.globs)
    assert not runner.failures, "".join(report)


def name_of(path):
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("path", [path for path in FILES if blocks_of(path)], ids=name_of)
def test_every_python_block_runs(path, tmp_path, monkeypatch):
    if needs := NEEDS.match(path.read_text(encoding="utf-8")):
        pytest.importorskip(needs[1])
    monkeypatch.chdir(tmp_path)
    namespace = {"__name__": "__main__"}
    with sg.Graph().as_default():
        for block in blocks_of(path):
            if block.can_run:
                run(block, path, namespace)


README = ROOT / "README.md"


@pytest.mark.parametrize("block", blocks_of(README), ids=lambda block: f"line {block.line}")
def test_a_block_of_the_readme_runs_by_itself(block, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with sg.Graph().as_default():
        run(block, README, {"__name__": "__main__"})


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_an_exempt_block_says_why(path):
    silent = [b.line for b in blocks_of(path) if b.exempt is not None and not b.exempt.strip(": ")]
    assert not silent, "write <!-- no-test: reason -->"


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_every_python_fence_is_found(path):
    fences = re.findall(r"^ *```python\b", path.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(fences) == len(blocks_of(path))


PATHS = re.compile(r"(?<![\w/])(?:gradops|dynamicgrad|staticgrad)(?:/\w+)+(?:\.py)?")


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_every_path_that_is_named_exists(path):
    named = set(PATHS.findall(path.read_text(encoding="utf-8")))
    assert not [name for name in sorted(named) if not (ROOT / name).exists()]


NAMES = re.compile(r"`((?:dg|sg|gradops|dynamicgrad|staticgrad)(?:\.\w+)+)")
PACKAGES = {"dg": "dynamicgrad", "sg": "staticgrad"}


@pytest.mark.parametrize(
    "path", sorted(ROOT.glob("docs/explanation/coming-from-*.md")), ids=name_of
)
def test_every_name_beside_that_of_another_library_exists(path):
    for name in set(NAMES.findall(path.read_text(encoding="utf-8"))):
        package, _, rest = name.partition(".")
        assert pkgutil.resolve_name(f"{PACKAGES.get(package, package)}.{rest}") is not None
