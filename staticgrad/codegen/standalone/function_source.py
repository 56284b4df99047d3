"""The source of functions and classes as syntax trees."""

import ast
import inspect
import linecache
from functools import lru_cache
from types import CodeType
from typing import Any

from gradops.core.errors import OptionError

Function = ast.FunctionDef


@lru_cache(maxsize=256)
def tree_of(filename: str) -> ast.Module:
    """The syntax tree of a file, or of what was typed in its place; empty if that is not kept."""
    return ast.parse("".join(linecache.getlines(filename)))


def function_node(f: Any) -> Function:
    """A copy of the definition of a function; of a lambda, as a `def`."""
    code: CodeType = f.__code__
    tree = tree_of(inspect.getsourcefile(f) or code.co_filename)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and is_definition_of(node, code):
            result: Function = copied(node)
            result.decorator_list = []
            return result
        if isinstance(node, ast.Lambda) and is_code_of(node, code):
            text = f"def kernel({ast.unparse(node.args)}): return {ast.unparse(node.body)}"
            made: Function = copied(ast.parse(text).body[0])
            return made
    raise OptionError("to_python", [], f"{f!r} has no source")


def is_definition_of(node: Function, code: CodeType) -> bool:
    """True if a definition has the name and the first line of a code."""
    first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
    return node.name == code.co_name and first == code.co_firstlineno


def is_code_of(node: ast.Lambda, code: CodeType) -> bool:
    """True if a lambda compiles to some code: there may be several in one line."""
    if code.co_name != "<lambda>" or node.lineno != code.co_firstlineno:
        return False
    wrapped = ast.fix_missing_locations(ast.Expression(node))
    found = [c for c in compile(wrapped, "", "eval").co_consts if isinstance(c, CodeType)]
    keys = ("co_varnames", "co_argcount")
    return any(
        all(getattr(c, k) == getattr(code, k) for k in keys)
        and global_names(c) | {*c.co_freevars} == global_names(code) | {*code.co_freevars}
        and plain(c) == plain(code)
        for c in found
    )


def plain(code: CodeType) -> list[Any]:
    """The constants of a code, without those that are code."""
    return [c for c in code.co_consts if not isinstance(c, CodeType)]


def class_node(kind: type) -> ast.ClassDef:
    """A copy of the definition of a class."""
    tree = tree_of(inspect.getsourcefile(kind) or "")
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name == kind.__name__:
            return copied(node)
    raise OptionError("to_python", [], f"{kind!r} has no source")


def copied(node: Any) -> Any:
    """A copy of a syntax tree."""
    text = ast.unparse(ast.fix_missing_locations(node))
    return ast.parse(text).body[0]


def global_names(code: CodeType) -> set[str]:
    """The names of globals and attributes in a code, and in the codes inside it."""
    result, stack = set[str](), [code]
    while stack:
        each = stack.pop()
        result.update(each.co_names)
        stack += [c for c in each.co_consts if isinstance(c, CodeType)]
    return result


def closure_of(value: Any) -> dict[str, Any]:
    """The variables that a function closes over, with their values."""
    cells = value.__closure__ or ()
    names = value.__code__.co_freevars
    return {name: cell.cell_contents for name, cell in zip(names, cells, strict=True)}


def text_of(node: Any) -> str:
    """The text of a syntax tree."""
    return ast.unparse(ast.fix_missing_locations(node))


def without_annotations(node: Any) -> Any:
    """A syntax tree without annotations, and with the first lines of docstrings."""
    for each in ast.walk(node):
        if isinstance(each, ast.FunctionDef | ast.Lambda):
            args = each.args
            for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg):
                if arg is not None:
                    arg.annotation = None
        if isinstance(each, ast.FunctionDef):
            each.returns = None
        if isinstance(each, ast.FunctionDef | ast.ClassDef):
            shorten_docstring(each)
    return ast.fix_missing_locations(Plain().visit(node))


def shorten_docstring(node: ast.FunctionDef | ast.ClassDef) -> None:
    """Keep the first line of a docstring."""
    text, first = ast.get_docstring(node), node.body[0]
    if text and isinstance(first, ast.Expr):
        first.value = ast.Constant(text.partition("\n")[0])


class Plain(ast.NodeTransformer):
    """Makes annotated assignments plain ones; a field of a class keeps an annotation, `object`."""

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        for s in node.body:
            if isinstance(s, ast.AnnAssign):
                s.annotation = ast.Name("object")
            else:
                self.visit(s)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        return ast.Pass() if node.value is None else ast.Assign([node.target], node.value)
