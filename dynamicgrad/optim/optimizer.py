"""The optimizer: groups of parameters with their options, the state of each parameter, hooks."""

import copy
import functools
import warnings
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import numpy as np

from gradops import StateFormatError, TapeError
from gradops.core.levels import TRACING

from ..engine.grad_mode import enable_grad
from ..engine.tensor import Tensor, handle
from ..hooks.tensor_hooks import RemovableHandle, add_hook
from . import compiled

Group = dict[str, Any]
"""The options of a group by name, and its parameters under `"params"`."""

Params = Iterable[Tensor] | Iterable[Group] | Iterable[tuple[str, Tensor]]
StepHook = Callable[["Optimizer", tuple[object, ...], dict[str, object]], object]
Arguments = tuple[tuple[object, ...], dict[str, object]]
State = defaultdict[Tensor, dict[str, Any]]
T = TypeVar("T")


class Optimizer:
    """Base class of optimizers; a subclass defines `step`.

    `params` are tensors, or dicts with `"params"` and options of their own, or pairs of a name and
    a tensor; `defaults` are the options of groups that do not set them. `state` has a dict for each
    parameter. Raises ValueError for no parameters, for results, and for a parameter in two groups.

    >>> class Descent(dg.optim.Optimizer):
    ...     @dg.no_grad()
    ...     def step(self, closure=None):
    ...         for group in self.param_groups:
    ...             for p in group["params"]:
    ...                 p -= group["lr"] * p.grad
    >>> w = dg.ones(1, requires_grad=True)
    >>> w.grad = dg.ones(1)
    >>> Descent([w], {"lr": 0.5}).step()
    >>> w
    tensor([0.5000], requires_grad=True)
    """

    def __init__(self, params: Params, defaults: dict[str, Any]) -> None:
        alone = isinstance(params, Tensor)
        if alone or not isinstance(params, Iterable):
            given = "a Tensor" if alone else type(params).__name__
            hint = "write [w], not w" if alone else "of a module, give module.parameters()"
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts,"
                f" but got {given}\n  hint: {hint}"
            )
        groups: list[Any] = list(params)
        if not groups:
            raise ValueError(
                "optimizer got an empty parameter list\n  hint: an iterator that was read before,"
                " as parameters() gives, is empty; make a list of it, or call parameters() again"
            )
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        self.defaults = defaults
        self.start()
        for group in groups:
            self.add_param_group(group)

    def __init_subclass__(cls) -> None:
        if "step" in vars(cls):
            cls.step = with_hooks(cls.step)  # type: ignore[method-assign]

    def start(self) -> None:
        """Begin without groups, state and hooks."""
        self.state: State = defaultdict(dict)
        self.param_groups: list[Group] = []
        self.pre_hooks: OrderedDict[int, StepHook] = OrderedDict()
        self.post_hooks: OrderedDict[int, StepHook] = OrderedDict()
        self.steps_done = 0

    def __gradop_stateful__(self) -> list[tuple[str, object]]:
        """The parameters and their states, for a trace that captures the optimizer."""
        own = [(f"params[{i}]", p) for i, p in enumerate(self.parameters())]
        kept = [(f"state[{i}].{name}", t) for i, (_, p) in enumerate(own)
                for name, t in self.state.get(p, {}).items()]  # fmt: skip
        options = [(k, v) for group in self.param_groups for k, v in group.items()
                   if isinstance(v, Tensor)]  # fmt: skip
        hooks = [*self.pre_hooks.values(), *self.post_hooks.values()]
        return [*own, *kept, *options, *(("hook", hook) for hook in hooks)]

    def __gradop_kept__(self) -> list[tuple[str, object]]:
        """The groups, whose options a trace that captures the optimizer must not change."""
        return [(f"param_groups[{i}]", group) for i, group in enumerate(self.param_groups)]

    def step(self, closure: Callable[[], T] | None = None) -> T | None:
        """Update the parameters; `closure`, if given, computes the gradients and gives the loss."""
        raise NotImplementedError(f"{type(self).__name__} must define step()")

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients, or set them to zero."""
        for p in self.parameters():
            p.grad = None if set_to_none or p.grad is None else p.grad.detach().zero_()

    def parameters(self) -> Iterable[Any]:
        """The parameters of all groups."""
        return (p for group in self.param_groups for p in group["params"])

    def add_param_group(self, param_group: Group) -> None:
        """Add parameters with their own options, for example after unfreezing a layer."""
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group).__name__}")
        group = {**param_group, **members(param_group["params"])}
        for p in group["params"]:
            require_parameter(p)
        taken = {id(p) for p in self.parameters()}
        if not taken.isdisjoint(map(id, group["params"])):
            raise ValueError("some parameters appear in more than one parameter group")
        if len({id(p) for p in group["params"]}) < len(group["params"]):
            text = "optimizer contains a parameter group with duplicate parameters"
            warnings.warn(text, UserWarning, stacklevel=3)
        self.param_groups.append({**self.defaults, **group})

    def register_step_pre_hook(self, hook: StepHook) -> RemovableHandle:
        """Call `hook(optimizer, args, kwargs)` before a step; it may return both changed."""
        return add_hook(self.pre_hooks, hook)

    def register_step_post_hook(self, hook: StepHook) -> RemovableHandle:
        """Call `hook(optimizer, args, kwargs)` after a step."""
        return add_hook(self.post_hooks, hook)

    def state_dict(self) -> dict[str, Any]:
        """The state, and the options of the groups, with numbers in place of the parameters."""
        numbers = {p: i for i, p in enumerate(dict.fromkeys(self.parameters()))}
        states = {numbers[p]: dict(s) for p, s in self.state.items() if s and p in numbers}
        numbered = lambda group: {**group, "params": [numbers[p] for p in group["params"]]}
        return {"state": states, "param_groups": [*map(numbered, self.param_groups)]}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load a state. Raises ValueError, and changes nothing, if its groups differ."""
        saved_groups = copy.deepcopy(state_dict["param_groups"])
        require_same_groups(saved_groups, self.param_groups)
        pairs = [*zip(saved_groups, self.param_groups)]
        by_number = {i: p for old, new in pairs for i, p in zip(old["params"], new["params"])}
        state: State = defaultdict(dict)
        for number, entries in state_dict["state"].items():
            p = by_number[number]
            state[p] = {k: copy_entry(p, k, v) for k, v in entries.items() if v is not None}
        self.param_groups = [{**old, "params": new["params"]} for old, new in pairs]
        self.state = state

    def __getstate__(self) -> dict[str, Any]:
        groups = self.param_groups
        return {"defaults": self.defaults, "state": dict(self.state), "param_groups": groups}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.start()
        self.defaults, self.param_groups = state["defaults"], state["param_groups"]
        self.state.update(state["state"])

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ("]
        for i, group in enumerate(self.param_groups):
            lines += [f"Parameter Group {i}"]
            lines += [f"    {k}: {group[k]}" for k in sorted(group) if k != "params"]
        return "\n".join([*lines, ")"])


def with_hooks(step: Callable[..., T]) -> Callable[..., T]:
    """A step method that counts its calls, and calls the hooks before and after."""

    @functools.wraps(step)
    def call(self: Optimizer, *args: object, **kwargs: object) -> T:
        if tracing := TRACING.get():
            compiled.capture(self, tracing)
        if self.pre_hooks:
            args, kwargs = before_step(self, (args, kwargs))
        result = step(self, *args, **kwargs)
        if not tracing:
            self.steps_done += 1
        if self.post_hooks:
            for hook in [*self.post_hooks.values()]:
                hook(self, args, kwargs)
        return result

    return call


def before_step(optimizer: Optimizer, call: Arguments) -> Arguments:
    """The arguments of a step after its hooks saw them."""
    for hook in [*optimizer.pre_hooks.values()]:
        changed = hook(optimizer, *call)
        if changed is None:
            continue
        if not isinstance(changed, tuple) or len(changed) != 2:
            raise TapeError(
                f"{hook} must return None or a tuple of (new_args, new_kwargs), but got {changed}"
            )
        call = changed
    return call


def evaluate(closure: Callable[[], T] | None) -> T | None:
    """The result of the closure of a step, which is recorded also inside `no_grad`."""
    if closure is None:
        return None
    with enable_grad():
        return closure()


def members(params: Tensor | Iterable[Tensor] | Iterable[tuple[str, Tensor]]) -> Group:
    """The parameters of a group as a list, and their names if they came with names."""
    if isinstance(params, set | frozenset):
        raise TypeError(
            "optimizer parameters need to be organized in ordered collections, but the ordering of"
            " tensors in sets will change between runs\n  hint: use a list"
        )
    found = [params] if isinstance(params, Tensor) else list(params)
    if found and all(isinstance(p, tuple) for p in found):
        return {"params": [p for _, p in found], "param_names": [name for name, _ in found]}
    return {"params": found}


def require_parameter(p: object) -> None:
    """Raise unless `p` is a leaf tensor."""
    if not isinstance(p, Tensor):
        raise TypeError(
            f"optimizer can only optimize Tensors, but one of the params is a {type(p)}"
        )
    if not p.is_leaf:
        hint = "optimize the leaf it was computed from"
        raise ValueError(f"can't optimize a non-leaf Tensor\n  hint: {hint}")


def require_nonnegative(**options: float) -> None:
    """Refuse negative options."""
    for name, value in options.items():
        if not value >= 0:
            raise ValueError(f"Invalid {name} value: {value}; it is at least 0")


def options_of(scope: dict[str, Any]) -> dict[str, Any]:
    """The options of an optimizer, from the local variables that its constructor begins with."""
    return {k: v for k, v in scope.items() if k not in ("self", "params", "__class__")}


def require_same_groups(saved: list[Group], groups: list[Group]) -> None:
    """Refuse a state of other groups."""
    if len(saved) != len(groups):
        raise ValueError(
            "loaded state dict has a different number of parameter groups:"
            f" {len(saved)}, where this optimizer has {len(groups)}"
        )
    for i, (old, new) in enumerate(zip(saved, groups)):
        if len(old["params"]) != len(new["params"]):
            raise ValueError(
                "loaded state dict contains a parameter group that doesn't match the size of"
                f" optimizer's group: group {i} has {len(old['params'])} parameters in the state"
                f" and {len(new['params'])} here"
            )


def copy_entry(p: Tensor, name: str, value: Any) -> Any:
    """A copy of an entry of the state, in the dtype of its parameter; counts are float32."""
    if name == "step":
        return handle(count_of(getattr(value, "value", value)))
    if not isinstance(value, Tensor):
        return copy.deepcopy(value)
    if value.dtype.kind == "f":
        return handle(np.array(value.value, p.dtype))
    return handle(np.array(value.value))


def count_of(value: Any) -> np.ndarray:
    """A number of steps as an array; raises StateFormatError for what is none."""
    try:
        count = np.array(value, np.float32)
    except (TypeError, ValueError):
        count = np.array(np.nan)
    if count.shape or not 0 <= count < np.inf:
        raise StateFormatError(f"a state has the step {value!r}, which is no number of steps")
    return count
