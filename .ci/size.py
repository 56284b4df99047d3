"""Code size: code lines per folder and module, and the longest functions.

A code line is one that is not blank, not a comment and not part of a docstring.
"""

import ast
import tokenize
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ["gradops", "dynamicgrad", "staticgrad"]
MODULE_LIMIT, FUNCTION_LIMIT, FUNCTIONS_SHOWN = 250, 30, 10
FOLDER_LIMIT = 15  # modules

FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)
DOCUMENTED = (ast.Module, ast.ClassDef, *FUNCTION)
LAYOUT = {"COMMENT", "DEDENT", "ENCODING", "ENDMARKER", "INDENT", "NEWLINE", "NL"}


def main():
    """Print the folders and modules of each package by size, then the longest functions."""
    functions = []
    for package in PACKAGES:
        modules = []
        for path in (ROOT / package).rglob("*.py"):
            size, inside = measure(path, path.relative_to(ROOT).as_posix())
            modules.append(size)
            functions += inside
        print(f"{sum(size for size, _ in modules):6}  {package}")
        show_folders(modules)
        show(modules, MODULE_LIMIT)
    print("        longest functions")
    show(sorted(functions)[-FUNCTIONS_SHOWN:], FUNCTION_LIMIT)


def measure(path, name):
    """The module's code lines with its name, and each function's with its location."""
    nodes = list(ast.walk(ast.parse(path.read_bytes())))
    code = token_lines(path) - {line for node in nodes for line in docstring_lines(node)}
    functions = [
        (len(code & lines(node)), f"{name}:{node.lineno} {node.name}")
        for node in nodes
        if isinstance(node, FUNCTION)
    ]
    return (len(code), name), functions


def token_lines(path):
    """The lines of code, without layout and comments."""
    with path.open("rb") as file:
        tokens = list(tokenize.tokenize(file.readline))
    code = [t for t in tokens if tokenize.tok_name[t.type] not in LAYOUT]
    return {line for t in code for line in range(t.start[0], t.end[0] + 1)}


def docstring_lines(node):
    """The lines of the docstring of `node`, if it has one."""
    if not isinstance(node, DOCUMENTED) or ast.get_docstring(node) is None:
        return set()
    return lines(node.body[0])


def lines(node):
    """All lines of `node`."""
    return set(range(node.lineno, node.end_lineno + 1))


def show_folders(modules):
    """The code lines of each folder, and its number of modules."""
    inside = {}
    for size, name in modules:
        inside.setdefault(name.rpartition("/")[0], []).append((size, name))
    for folder, found in sorted(inside.items()):
        count = sum(not name.endswith("__.py") for _, name in found)
        over = f"  <- over {FOLDER_LIMIT} modules" if count > FOLDER_LIMIT else ""
        print(f"{sum(size for size, _ in found):6}    {folder}/ of {count}{over}")
    print()


def show(sizes, limit):
    """Items with their sizes, largest first; those over the limit are marked."""
    for size, what in sorted(sizes, reverse=True):
        print(f"{size:6}    {what}" + (f"  <- over {limit}" if size > limit else ""))
    print()


if __name__ == "__main__":
    main()
