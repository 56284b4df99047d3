"""Optimizers that apply an update rule of `gradops.nn.optimizer_updates` to each parameter."""

from collections.abc import Callable
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from gradops.core.float_errors import without_float_errors
from gradops.core.levels import TRACING
from gradops.core.source_location import here
from gradops.nn import optimizer_updates

from ..engine.tensor import Tensor, handle
from ..ops.creation import full_like
from . import compiled
from .blocks import Block, Rule, blocks_of, checked_gradient
from .optimizer import Optimizer, Params, T, evaluate, options_of, require_nonnegative


class FirstOrder(Optimizer):
    """An optimizer whose step is a rule with options from the group. See Note [Blocks].

    With `foreach=False` each parameter is updated on its own, to the same bits.
    """

    rule: ClassVar[Rule]
    _initial: ClassVar[tuple[str, ...]] = ()  # options for the state to begin with

    def start(self) -> None:
        """Begin without groups, state, hooks and blocks."""
        super().start()
        self.blocks: dict[int, tuple[list[int] | None, list[Block]]] = {}

    @cached_property
    def options(self) -> list[str]:
        """The names of the options that the rule reads."""
        return [name for name in self.defaults if name not in (*self._initial, "foreach")]

    def step(self, closure: Callable[[], T] | None = None) -> T | None:
        """Update the parameters that have gradients; the loss of `closure`, if it is given.

        If the step fails, as for a gradient that does not fit, no parameter has changed.
        """
        loss = evaluate(closure)
        if tracing := TRACING.get():
            compiled.step(self, tracing)
            return loss
        without_float_errors(self.update)
        return loss

    def update(self) -> None:
        """Compute the first tile of every block that is not updated in place, then write all.

        A kernel updates in place only what it can update without failing.
        """
        rule, work = type(self).rule, []
        for i, group in enumerate(self.param_groups):
            options = {name: number(group[name]) for name in self.options}
            together = group.get("foreach") is not False
            work += [(block, options) for block in self.ready(i, group["params"], together)]
        calls = [block.kernel_call(rule, options) for block, options in work]
        first = [
            None if call else block.compute(rule, options, block.spans[0])
            for call, (block, options) in zip(calls, work, strict=True)
        ]
        place = here()
        for (block, options), call, updated in zip(work, calls, first, strict=True):
            if call is None or call() is NotImplemented:
                step = block.update(rule, options, updated)
            else:
                step = block.next_step()
            block.finish(step, place)

    def ready(self, i: int, params: list[Tensor], together: bool) -> list[Block]:
        """The blocks of group `i`, with the gradients of this step."""
        active, grads = [], []
        for p in params:
            g = p.grad
            if g is not None:
                active.append(p)
                grads.append(checked_gradient(p, g))
        before, blocks = self.blocks.get(i, (None, []))
        ids = [together, *map(id, active)]
        if before != ids or not all(block.is_current(self.state) for block in blocks):
            blocks = blocks_of(active, self.state, together)
            self.blocks[i] = ids, blocks
        for block in blocks:
            block.gather(grads)
        return blocks

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load a state. Raises ValueError, and changes nothing, if its groups differ."""
        super().load_state_dict(state_dict)
        self.blocks.clear()


def number(option: Any) -> Any:
    """An option as plain numbers: those of NumPy have a dtype, which would be the result's."""
    if type(option) in (float, int, bool):
        return option
    if isinstance(option, tuple | list):
        return tuple(map(number, option))
    return option.item() if isinstance(option, np.generic | np.ndarray | Tensor) else option


class SGD(FirstOrder):
    """Gradient descent, with momentum and weight decay if asked; see `optimizer_updates.sgd`.

    >>> w = dg.tensor([1.0], requires_grad=True)
    >>> optimizer = dg.optim.SGD([w], lr=0.25)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([0.5000], requires_grad=True)
    """

    rule = staticmethod(optimizer_updates.sgd)

    def __init__(
        self, params: Params, lr: float = 1e-3, momentum: float = 0, dampening: float = 0,
        weight_decay: float = 0, nesterov: bool = False, *, maximize: bool = False,
        foreach: bool | None = None,
    ) -> None:  # fmt: skip
        options = options_of(locals())
        require_nonnegative(lr=lr, momentum=momentum, weight_decay=weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        super().__init__(params, options)


class Adam(FirstOrder):
    """Adam, with running means of the gradient and of its square; see `optimizer_updates.adam`.

    >>> w = dg.tensor([1.0], requires_grad=True)
    >>> optimizer = dg.optim.Adam([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([0.9000], requires_grad=True)
    """

    rule = staticmethod(optimizer_updates.adam)

    def __init__(
        self, params: Params, lr: float = 1e-3, betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8, weight_decay: float = 0, amsgrad: bool = False, *,
        maximize: bool = False, decoupled_weight_decay: bool = False, foreach: bool | None = None,
    ) -> None:  # fmt: skip
        options = options_of(locals())
        require_nonnegative(lr=lr, eps=eps, weight_decay=weight_decay)
        for i, beta in enumerate(betas):
            if not 0 <= beta < 1:
                raise ValueError(f"Invalid beta parameter at index {i}: {beta}; it is in [0, 1)")
        super().__init__(params, options)


class AdamW(Adam):
    """Adam with weight decay that does not go through the running means.

    >>> w = dg.tensor([1.0], requires_grad=True)
    >>> optimizer = dg.optim.AdamW([w], lr=0.1, weight_decay=0.5)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([0.8500], requires_grad=True)
    """

    def __init__(
        self, params: Params, lr: float = 1e-3, betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8, weight_decay: float = 1e-2, amsgrad: bool = False, *,
        maximize: bool = False, foreach: bool | None = None,
    ) -> None:  # fmt: skip
        super().__init__(params, **options_of(locals()), decoupled_weight_decay=True)


class RMSprop(FirstOrder):
    """The gradient over the root of the running mean of its square; `optimizer_updates.rmsprop`.

    >>> w = dg.tensor([1.0], requires_grad=True)
    >>> optimizer = dg.optim.RMSprop([w], lr=0.01)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([0.9000], requires_grad=True)
    """

    rule = staticmethod(optimizer_updates.rmsprop)

    def __init__(
        self, params: Params, lr: float = 1e-2, alpha: float = 0.99, eps: float = 1e-8,
        weight_decay: float = 0, momentum: float = 0, centered: bool = False, *,
        maximize: bool = False, foreach: bool | None = None,
    ) -> None:  # fmt: skip
        options = options_of(locals())
        require_nonnegative(**{k: v for k, v in options.items() if k != "foreach"})
        super().__init__(params, options)


class Adagrad(FirstOrder):
    """The gradient over the root of the sum of its squares; see `optimizer_updates.adagrad`.

    >>> w = dg.tensor([1.0], requires_grad=True)
    >>> optimizer = dg.optim.Adagrad([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([0.9000], requires_grad=True)
    """

    rule = staticmethod(optimizer_updates.adagrad)
    _initial = ("initial_accumulator_value",)

    def __init__(
        self, params: Params, lr: float = 1e-2, lr_decay: float = 0, weight_decay: float = 0,
        initial_accumulator_value: float = 0, eps: float = 1e-10, *, maximize: bool = False,
        foreach: bool | None = None,
    ) -> None:  # fmt: skip
        options = options_of(locals())
        require_nonnegative(**{k: v for k, v in options.items() if k != "foreach"})
        super().__init__(params, options)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add parameters with options of their own; their sums begin with the initial value."""
        super().add_param_group(param_group)
        group = self.param_groups[-1]
        for p in group["params"]:
            count = handle(np.zeros((), np.float32))
            total = full_like(p, group["initial_accumulator_value"])
            self.state[p].update(step=count, sum=total)
