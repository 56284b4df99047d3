"""Names in the source of a function, replaced with those of another module."""

import ast
from collections.abc import Callable
from importlib import import_module
from importlib.util import resolve_name
from typing import Any

from gradops import OPS

from .origins import is_copied, require_available


class Renaming(ast.NodeTransformer):
    """Replaces names of another module, and attributes of modules and ops, with references."""

    def __init__(
        self, reference: Callable[..., str], replaced: dict[str, str], owners: dict[str, Any]
    ) -> None:
        self.reference, self.replaced, self.owners = reference, replaced, owners
        self.local: set[str] = set()

    def inner(self, node: Any) -> ast.AST:
        """A function inside: what it binds is its own."""
        before = self.local
        self.local = before | names_bound(node)
        result = self.generic_visit(node)
        self.local = before
        return result

    visit_FunctionDef = inner
    visit_Lambda = inner

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id in self.local:
            return node
        if node.id in self.owners:  # an op that is called
            self.replaced[node.id] = self.reference(self.owners[node.id], node.id)
        return self.expression(self.replaced[node.id]) if node.id in self.replaced else node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        if isinstance(node.value, ast.Name) and node.value.id in self.owners.keys() - self.local:
            value = getattr(self.owners[node.value.id], node.attr)
            return self.expression(self.reference(value, node.attr))
        return self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        is_table = isinstance(node.value, ast.Name) and self.owners.get(node.value.id) is OPS
        if is_table and isinstance(node.slice, ast.Constant):
            return self.expression(self.reference(OPS[str(node.slice.value)]))
        return self.generic_visit(node)

    def expression(self, text: str) -> ast.AST:
        """The syntax tree of a reference."""
        return ast.parse(text, mode="eval").body

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.AST | None:
        return None if imports_copies(node) else node


def names_bound(node: ast.FunctionDef | ast.Lambda) -> set[str]:
    """The names of a function's parameters and of what it assigns."""
    args = node.args
    every = (*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg)
    result = {arg.arg for arg in every if arg is not None}
    stack: list[ast.AST] = list(node.body) if isinstance(node, ast.FunctionDef) else [node.body]
    while stack:
        each = stack.pop()
        if isinstance(each, ast.FunctionDef):
            result.add(each.name)
        elif not isinstance(each, ast.Lambda):
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
                result.add(each.id)
            stack += ast.iter_child_nodes(each)
    return result


def names_of_defaults(node: ast.AST) -> set[str]:
    """The names in the defaults of parameters, which are evaluated where a function is defined."""
    result: set[str] = set()
    for each in ast.walk(node):
        if isinstance(each, ast.arguments):
            for default in (*each.defaults, *filter(None, each.kw_defaults)):
                result |= {n.id for n in ast.walk(default) if isinstance(n, ast.Name)}
    return result


def local_imports(node: ast.AST, module: str) -> dict[str, Any]:
    """The imports, from modules that are copied, that a function makes when it runs.

    Raises OptionError for imports of modules that are neither copied nor of NumPy.
    """
    result: dict[str, Any] = {}
    for each in ast.walk(node):
        if isinstance(each, ast.ImportFrom) and imports_copies(each):
            name = "." * each.level + (each.module or "")
            source = import_module(resolve_name(name, module.rpartition(".")[0]))
            result |= {a.asname or a.name: getattr(source, a.name) for a in each.names}
        elif isinstance(each, ast.ImportFrom):
            require_available(each.module or "")
        elif isinstance(each, ast.Import):
            for alias in each.names:
                require_available(alias.name)
    return result


def imports_copies(node: ast.ImportFrom) -> bool:
    """True for an import from a module whose definitions are copied."""
    return bool(node.level) or is_copied(node.module)
