"""Calling a module that has hooks."""

from typing import TYPE_CHECKING, Any, NamedTuple

from gradops.typing import Function

from .backward_hooks import Crossing

if TYPE_CHECKING:
    from .module import Module


class Hook(NamedTuple):
    """A function to call before or after `forward`, and how it wants to be called."""

    function: Function
    with_kwargs: bool
    always_call: bool = False


def call(module: "Module", args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The output of a module, with its hooks called before and after."""
    called: set[int] = set()
    output = None

    def after(hook: Hook, output: object) -> object:
        given = (args, kwargs, output) if hook.with_kwargs else (args, output)
        found = hook.function(module, *given)
        return output if found is None else found

    try:
        args, kwargs = before(module, args, kwargs)
        watched = module._backward_hooks or module._backward_pre_hooks
        crossing = Crossing(module) if watched else None
        if crossing:
            args = crossing.inputs(args)
        output = module.forward(*args, **kwargs)
        for key, hook in [*module._forward_hooks.items()]:
            called.add(key)
            output = after(hook, output)
        return crossing.outputs(output) if crossing else output
    except Exception:
        for key, hook in [*module._forward_hooks.items()]:
            if hook.always_call and key not in called:
                after(hook, output)
        raise


def before(module: "Module", args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any]:
    """The arguments after the pre-hooks saw them."""
    for hook in [*module._forward_pre_hooks.values()]:
        found = hook.function(module, args, *([kwargs] if hook.with_kwargs else []))
        if found is None:
            continue
        if not hook.with_kwargs:
            args = found if isinstance(found, tuple) else (found,)
        elif isinstance(found, tuple) and len(found) == 2:
            args, kwargs = found
        else:
            expected = "must return None or a tuple of (new_args, new_kwargs)"
            raise TypeError(f"forward pre-hook {expected}, but got {found}")
    return args, kwargs
