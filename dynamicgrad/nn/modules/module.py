"""The module: parameters, buffers and other modules under names, and a forward computation."""

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Self

import numpy as np

from gradops.typing import DTypeLike, Function

from ...devices import without_device
from ...engine.tensor import Tensor
from ...hooks.tensor_hooks import RemovableHandle, add_hook
from . import hooks, state
from .parameter import Parameter
from .text import format_module

__all__ = ["Module"]

KINDS = {"_parameters": "parameter", "_buffers": "buffer", "_modules": "child module"}
HOOKS = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")


class Module:
    """Base class of all layers and models.

    A subclass calls `super().__init__()` first, assigns parameters and modules to attributes, which
    registers them, and defines `forward`; calling the module calls that.

    >>> class Twice(dg.nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.layer = dg.nn.Linear(2, 2)
    ...
    ...     def forward(self, x):
    ...         return self.layer(self.layer(x))
    >>> model = Twice()
    >>> model
    Twice(
      (layer): Linear(in_features=2, out_features=2, bias=True)
    )
    >>> [name for name, p in model.named_parameters()]
    ['layer.weight', 'layer.bias']
    """

    training: bool
    _parameters: dict[str, Tensor | None]
    _buffers: dict[str, Tensor | None]
    _modules: dict[str, "Module | None"]

    def __init__(self) -> None:
        vars(self).update(
            training=True, _parameters={}, _buffers={}, _modules={}, _transient=set(),
            **{kind: OrderedDict() for kind in HOOKS},
        )  # fmt: skip

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if (
            self._forward_hooks or self._forward_pre_hooks
            or self._backward_hooks or self._backward_pre_hooks
        ):  # fmt: skip
            return hooks.call(self, args, kwargs)
        return self.forward(*args, **kwargs)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Compute the output; a subclass defines it."""
        raise NotImplementedError(
            f'Module [{type(self).__name__}] is missing the required "forward" function'
        )

    def __getattr__(self, name: str) -> Any:
        own = vars(self)
        for kind in KINDS:
            if kind in own and name in own[kind]:
                return own[kind][name]
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __setattr__(self, name: str, value: object) -> None:
        own = vars(self)
        kind = self.kind_of(name, value)
        if kind is None:
            return object.__setattr__(self, name, value)
        if kind not in own:
            raise AttributeError(
                f"cannot assign {name!r} before Module.__init__() call"
                "\n  hint: call super().__init__() first"
            )
        own.pop(name, None)
        for other in KINDS:
            if other != kind:
                own[other].pop(name, None)
        own[kind][name] = value

    def kind_of(self, name: str, value: object) -> str | None:
        """The registry of an attribute by its name and value; None for an ordinary one."""
        if isinstance(value, Parameter):
            return "_parameters"
        if isinstance(value, Module):
            return "_modules"
        own = vars(self)
        for kind in KINDS:
            if name in own.get(kind, ()):
                if value is None or (kind == "_buffers" and isinstance(value, Tensor)):
                    return kind
                raise TypeError(
                    f"cannot assign a {type(value).__name__} as {KINDS[kind]} {name!r}"
                    "\n  hint: wrap a tensor in nn.Parameter, or delete the attribute first"
                )
        return None

    def __delattr__(self, name: str) -> None:
        own = vars(self)
        for kind in KINDS:
            if name in own[kind]:
                del own[kind][name]
                own["_transient"].discard(name)
                return
        object.__delattr__(self, name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *(name for kind in KINDS for name in vars(self)[kind])})

    def register_parameter(self, name: str, param: Tensor | None) -> None:
        """Add a parameter; None registers the name only."""
        self.require_new(name, "_parameters")
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(
                f"cannot assign a {type(param).__name__} as parameter {name!r}"
                " (nn.Parameter or None required)"
            )
        if param is not None and not param.is_leaf:
            raise ValueError(
                f"Cannot assign non-leaf Tensor to parameter {name!r}\n  hint: a parameter is a"
                " leaf that values are computed from, not itself the result of a computation"
            )
        self._parameters[name] = param

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Add a tensor that is not trained; it is in the state unless it is not `persistent`."""
        self.require_new(name, "_buffers")
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(f"cannot assign a {type(tensor).__name__} as buffer {name!r}")
        self._buffers[name] = tensor
        (self._transient.discard if persistent else self._transient.add)(name)

    def add_module(self, name: str, module: "Module | None") -> None:
        """Add a module under a name."""
        self.require_new(name, "_modules")
        if module is not None and not isinstance(module, Module):
            text = f"{type(module).__name__} is not a Module subclass"
            if isinstance(module, list | tuple):
                text += "\n  hint: give the modules of a list by themselves: Sequential(*modules)"
            raise TypeError(text)
        self._modules[name] = module

    register_module = add_module

    def require_new(self, name: str, kind: str) -> None:
        """Refuse a name that is taken or would be ambiguous."""
        own = vars(self)
        if kind not in own:
            raise AttributeError(f"cannot register {name!r} before Module.__init__() call")
        if not isinstance(name, str):
            raise TypeError(f"a name is a string, not a {type(name).__name__}")
        if not name or "." in name:
            raise KeyError(f'the name {name!r} must not be empty or contain "."')
        if hasattr(self, name) and name not in own[kind]:
            raise KeyError(f"attribute {name!r} already exists")

    def named_modules(
        self, memo: set["Module"] | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, "Module"]]:
        """This module and all modules in it, in pre-order."""
        seen = set() if memo is None else memo
        stack: list[tuple[str, Module]] = [(prefix, self)]
        while stack:
            path, module = stack.pop()
            if remove_duplicate:
                if module in seen:
                    continue
                seen.add(module)
            yield path, module
            children = [(name, m) for name, m in module._modules.items() if m is not None]
            stack += [(f"{path}.{name}" if path else name, m) for name, m in children[::-1]]

    def modules(self) -> Iterator["Module"]:
        """This module and all in it."""
        return (module for _, module in self.named_modules())

    def named_children(self) -> Iterator[tuple[str, "Module"]]:
        """The direct submodules with their names."""
        first_names: dict[Module, str] = {}
        for name, module in self._modules.items():
            if module is not None:
                first_names.setdefault(module, name)
        return ((name, module) for module, name in first_names.items())

    def children(self) -> Iterator["Module"]:
        """The direct submodules."""
        return (module for _, module in self.named_children())

    def named_members(
        self, kind: str, prefix: str, recurse: bool, remove_duplicate: bool
    ) -> Iterator[tuple[str, Tensor]]:
        """The parameters, or the buffers, of all modules with their names."""
        seen, own = set(), [(prefix, self)]
        modules = self.named_modules(None, prefix, remove_duplicate) if recurse else own
        for path, module in modules:
            for name, t in vars(module)[kind].items():
                if t is None or (remove_duplicate and id(t) in seen):
                    continue
                seen.add(id(t))
                yield f"{path}.{name}" if path else name, t

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """All parameters with their paths, as in `layer.weight`."""
        return self.named_members("_parameters", prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Any]:
        """All parameters, for an optimizer."""
        return (p for _, p in self.named_parameters(recurse=recurse))

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """All buffers with their paths."""
        return self.named_members("_buffers", prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """All buffers."""
        return (b for _, b in self.named_buffers(recurse=recurse))

    def get_submodule(self, target: str) -> "Module":
        """The module at a path; raises AttributeError if there is none."""
        module: Module = self
        for name in target.split(".") if target else ():
            child = module._modules.get(name)
            if child is None:
                raise AttributeError(f"{type(module).__name__} has no module {name!r}")
            module = child
        return module

    def get_parameter(self, target: str) -> Tensor:
        """The parameter at a path; raises AttributeError if there is none."""
        path, _, name = target.rpartition(".")
        found = self.get_submodule(path)._parameters.get(name)
        if found is None:
            raise AttributeError(f"{target!r} is not an nn.Parameter")
        return found

    def apply(self, fn: Callable[["Module"], object]) -> Self:
        """Call a function with every module in this one, and then with this one.

        >>> model = dg.nn.Sequential(dg.nn.Linear(2, 2))
        >>> _ = model.apply(lambda module: print(type(module).__name__))
        Linear
        Sequential
        """
        for _, module in [*self.named_modules(remove_duplicate=False)][::-1]:
            fn(module)
        return self

    def train(self, mode: bool = True) -> Self:
        """Set the mode of training, in which `Dropout` and its like do their work."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        for module in self.modules():
            module.training = mode
        return self

    def eval(self) -> Self:
        """Set the mode of evaluation: `train(False)`."""
        return self.train(False)

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Set whether the parameters require gradients."""
        for p in self.parameters():
            p.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients of all parameters, or set them to zero."""
        for p in self.parameters():
            p.grad = None if set_to_none or p.grad is None else p.grad.detach().zero_()

    def to(self, *wanted: object, dtype: DTypeLike = None, device: object = None) -> Self:
        """Cast floating-point parameters and buffers, and their gradients, to another dtype.

        A device may be named as well; there is only the CPU.
        """
        for found in without_device((*wanted, dtype, device)):
            if found is not None and not isinstance(found, bool):  # the latter is non_blocking
                self.cast(np.dtype(found.dtype if isinstance(found, Tensor) else found))
        return self

    def cuda(self, device: object = None) -> Self:
        """Raise OptionError: there is no device but the CPU."""
        return self.to("cuda")

    def cpu(self) -> Self:
        """The module, whose tensors are on the CPU."""
        return self

    def cast(self, wanted: np.dtype) -> None:
        """Give parameters, buffers and gradients that are floats another dtype."""
        state.cast(self, wanted)

    def float(self) -> Self:
        """`to(float32)`."""
        return self.to(np.float32)

    def double(self) -> Self:
        """`to(float64)`."""
        return self.to(np.float64)

    def half(self) -> Self:
        """`to(float16)`."""
        return self.to(np.float16)

    def state_dict(self, *, prefix: str = "", keep_vars: bool = False) -> dict[str, Tensor]:
        """Parameters and persistent buffers by path, on the same memory; leaves if `keep_vars`."""
        return {key: t if keep_vars else t.detach() for key, _, _, t in state.entries(self, prefix)}

    def load_state_dict(
        self, state_dict: Mapping[str, object], strict: bool = True, assign: bool = False
    ) -> state.IncompatibleKeys:
        """Copy values by path, or with `assign` replace the tensors.

        Raises StateError that names everything that does not fit, and changes nothing then; with
        `strict=False`, missing and unexpected keys are returned instead.

        >>> layer = dg.nn.Linear(2, 2)
        >>> layer.load_state_dict(dg.nn.Linear(2, 2).state_dict())
        <All keys matched successfully>
        """
        return state.load_state_dict(self, state_dict, strict, assign)

    def register_forward_hook(
        self, hook: Function, *, prepend: bool = False, with_kwargs: bool = False,
        always_call: bool = False,
    ) -> RemovableHandle:  # fmt: skip
        """Call `hook(module, args, output)` after `forward`; what it returns replaces the output.

        With `with_kwargs` it is `hook(module, args, kwargs, output)`; with `always_call` it is also
        called when something before it failed.
        """
        wrapped = hooks.Hook(hook, with_kwargs, always_call)
        return add_hook(self._forward_hooks, wrapped, prepend)

    def register_forward_pre_hook(
        self, hook: Function, *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Call `hook(module, args)` before `forward`; what it returns replaces the arguments.

        With `with_kwargs` it is `hook(module, args, kwargs)`, and returns a pair of both.
        """
        return add_hook(self._forward_pre_hooks, hooks.Hook(hook, with_kwargs), prepend)

    def register_full_backward_hook(self, hook: Function, prepend: bool = False) -> RemovableHandle:
        """Call `hook(module, grad_input, grad_output)` when the gradients of the inputs are known.

        Both are tuples, None where there is no gradient; what it returns replaces `grad_input`. The
        inputs are the positional arguments of the call, the outputs a tensor or those in a tuple.

        >>> layer = dg.nn.Linear(2, 1)
        >>> show = lambda module, grad_input, grad_output: print(grad_output)
        >>> handle = layer.register_full_backward_hook(show)
        >>> layer(dg.ones(2, requires_grad=True)).backward(dg.tensor([3.0]))
        (tensor([3.]),)
        """
        return add_hook(self._backward_hooks, hook, prepend)

    def register_full_backward_pre_hook(
        self, hook: Function, prepend: bool = False
    ) -> RemovableHandle:
        """Call `hook(module, grad_output)` first; what it returns replaces `grad_output`."""
        return add_hook(self._backward_pre_hooks, hook, prepend)

    def extra_repr(self) -> str:
        """The text between the parentheses of the module's repr."""
        return ""

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        from ...introspection.notebook import module_mimebundle

        return module_mimebundle(self)

    def __repr__(self) -> str:
        parts = [f"({name}): {module!r}" for name, module in self._modules.items()]
        return format_module(type(self).__name__, self.extra_repr(), parts)
