"""L-BFGS: quasi-Newton steps, with the curvature estimated from the last gradients."""

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any, Self

import numpy as np

from gradops import OptionError
from gradops.core.tree import tree_map

from ..engine.grad_mode import enable_grad, no_grad
from ..engine.storage import memory
from ..engine.tensor import Tensor, handle
from ..ops.assignment import copy_
from .line_search import Point, greatest, strong_wolfe
from .optimizer import Group, Optimizer, Params, T, options_of, require_nonnegative


@dataclass
class Memory:
    """The facts that a step leaves to the next, under PyTorch's names.

    `old_dirs` are changes of the gradient, and `old_stps` the steps that caused them.
    """

    func_evals: int = 0
    n_iter: int = 0
    d: np.ndarray | None = None
    t: float = 1.0
    old_dirs: list[np.ndarray] = field(default_factory=list)
    old_stps: list[np.ndarray] = field(default_factory=list)
    ro: list[float] = field(default_factory=list)
    H_diag: float = 1.0
    prev_flat_grad: np.ndarray | None = None
    prev_loss: float = 0.0

    @classmethod
    def of_state(cls, state: dict[str, Any]) -> Self:
        """The facts in a parameter's state."""
        names = [f.name for f in fields(cls) if f.name in state]
        return cls(**{name: tree_map(plain, state[name]) for name in names})

    def as_state(self) -> dict[str, Any]:
        """The state with these facts; the first two if no direction was needed."""
        names = [f.name for f in fields(self)][: 2 if self.d is None else None]
        return {name: tree_map(entry, getattr(self, name)) for name in names}

    def next_direction(self, grad: np.ndarray, lr: float, size: int) -> np.ndarray:
        """Set the direction to go from a point with this gradient, and the length of the step."""
        if self.d is None or self.prev_flat_grad is None:
            self.d, self.t = -grad, min(1.0, 1.0 / float(np.abs(grad).sum())) * lr
        else:
            self.learn(grad - self.prev_flat_grad, self.d * self.t, size)
            self.d, self.t = self.direction(grad), lr
        return self.d

    def learn(self, y: np.ndarray, s: np.ndarray, size: int) -> None:
        """Add a change `y` of the gradient and its step `s`, if the loss curves upwards there."""
        ys = float(y @ s)
        if ys > 1e-10:
            self.old_dirs = [*self.old_dirs, y][-size:]
            self.old_stps = [*self.old_stps, s][-size:]
            self.ro = [*self.ro, 1 / ys][-size:]
            self.H_diag = ys / float(y @ y)

    def direction(self, grad: np.ndarray) -> np.ndarray:
        """Minus the approximate inverse Hessian times the gradient; the two loops of Nocedal."""
        d, weights = -grad, []
        for y, s, ro in zip(self.old_dirs[::-1], self.old_stps[::-1], self.ro[::-1]):
            weights.append(float(s @ d) * ro)
            d = d - weights[-1] * y
        d = d * self.H_diag
        for y, s, ro in zip(self.old_dirs, self.old_stps, self.ro):
            d = d + (weights.pop() - float(y @ d) * ro) * s
        return d


def plain(x: Any) -> Any:
    """An entry of a state as an array or a number."""
    return (x.value if x.shape else x.item()) if isinstance(x, Tensor) else x


def entry(x: Any) -> Any:
    """An array as a tensor; anything else as it is."""
    return handle(x) if isinstance(x, np.ndarray) else x


class LBFGS(Optimizer):
    """L-BFGS for losses without noise; a step evaluates the closure several times.

    With `line_search_fn="strong_wolfe"` lengths of steps are searched for, else they are `lr`.
    There is one group of parameters. If the closure fails, the parameters are as before the step.

    >>> w = dg.tensor([3.0], requires_grad=True)
    >>> optimizer = dg.optim.LBFGS([w], line_search_fn="strong_wolfe")
    >>> def closure():
    ...     optimizer.zero_grad()
    ...     loss = ((w - 1) ** 2).sum()
    ...     loss.backward()
    ...     return loss
    >>> optimizer.step(closure).item()
    4.0
    >>> w
    tensor([1.], requires_grad=True)
    """

    def __init__(
        self, params: Params, lr: float = 1, max_iter: int = 20, max_eval: int | None = None,
        tolerance_grad: float = 1e-7, tolerance_change: float = 1e-9, history_size: int = 100,
        line_search_fn: str | None = None,
    ) -> None:  # fmt: skip
        max_eval = max_iter * 5 // 4 if max_eval is None else max_eval
        options = options_of(locals())
        require_nonnegative(lr=lr)
        if line_search_fn not in (None, "strong_wolfe"):
            raise OptionError(
                "LBFGS", [], f"only 'strong_wolfe' is supported, not {line_search_fn!r}"
            )
        super().__init__(params, options)
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")

    def step(self, closure: Callable[[], T] | None = None) -> T | None:
        """Several iterations; the loss that `closure`, which is needed, gave before them."""
        if closure is None:
            raise TypeError("LBFGS.step() needs a closure that computes the gradients again")
        search = Search(self.param_groups[0], enable_grad()(closure))
        state = self.state[search.params[0]]
        with no_grad():
            start = search.flat()
            try:
                found = search.run(state)
            except BaseException:
                search.move_to(start)
                raise
        state.clear()
        state.update(found)
        return search.first_loss


class Search:
    """The iterations of one step of LBFGS, over all parameters as one vector."""

    def __init__(self, group: Group, closure: Callable[[], Any]) -> None:
        self.group, self.closure = group, closure
        self.params: list[Tensor] = group["params"]
        self.first_loss: Any = None
        self.evaluations = 0

    def flat(self) -> np.ndarray:
        """The parameters as one vector, a copy."""
        return np.concatenate([memory(p) for p in self.params], axis=None)

    def grad(self) -> np.ndarray:
        """The gradients as one vector, zero for parameters that have none."""
        grads = [np.zeros_like(memory(p)) if p.grad is None else p.grad.value for p in self.params]
        return np.concatenate(grads, axis=None)

    def move_to(self, flat: np.ndarray) -> None:
        """Set the parameters to the entries of a vector."""
        end = 0
        for p in self.params:
            start, end = end, end + memory(p).size
            copy_(p, handle(flat[start:end].reshape(p.shape)))

    def evaluate(self) -> tuple[float, np.ndarray]:
        """The loss and the gradient where the parameters are."""
        loss = self.closure()
        self.evaluations += 1
        if self.first_loss is None:
            self.first_loss = loss
        return loss.item() if isinstance(loss, Tensor) else float(loss), self.grad()

    def run(self, state: dict[str, Any]) -> dict[str, Any]:
        """Iterate from a state, and return the new one."""
        group, memory = self.group, Memory.of_state(state)
        loss, grad = self.evaluate()
        for i in range(group["max_iter"]):
            if i == 0 and greatest(grad) <= group["tolerance_grad"]:
                break
            memory.n_iter += 1
            d = memory.next_direction(grad, group["lr"], group["history_size"])
            slope = float(grad @ d)
            memory.prev_flat_grad, memory.prev_loss = grad, loss
            if slope > -group["tolerance_change"]:
                break
            point = self.advance(Point(0.0, loss, grad, slope), memory.t, d, i)
            memory.t, loss, grad = point.t, point.loss, point.grad
            if self.is_done(i, grad, d * point.t, loss - memory.prev_loss):
                break
        memory.func_evals += self.evaluations
        return memory.as_state()

    def advance(self, start: Point, t: float, d: np.ndarray, i: int) -> Point:
        """The point along `d` at length `t`, or as far as a search says."""
        origin = self.flat()

        def evaluate(t: float) -> Point:
            self.move_to(origin + t * d)
            loss, grad = self.evaluate()
            return Point(t, loss, grad, float(grad @ d))

        if self.group["line_search_fn"] is None:
            if i + 1 < self.group["max_iter"]:
                return evaluate(t)
            self.move_to(origin + t * d)  # what is there is evaluated by the next step
            return Point(t, start.loss, start.grad, start.slope)
        budget = self.group["max_eval"] - self.evaluations
        width = self.group["tolerance_change"] / (greatest(d) or 1.0)
        found = strong_wolfe(evaluate, start, t, width, budget)
        self.move_to(origin + found.t * d)
        return found

    def is_done(self, i: int, grad: np.ndarray, moved: np.ndarray, change: float) -> bool:
        """True if the budget is spent, or the gradient or the progress is small."""
        group = self.group
        return (
            i + 1 == group["max_iter"]
            or self.evaluations >= group["max_eval"]
            or greatest(grad) <= group["tolerance_grad"]
            or greatest(moved) <= group["tolerance_change"]
            or abs(change) < group["tolerance_change"]
        )
