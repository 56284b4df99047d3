"""The functions that programs use, by formulas where a library has none of its own."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Step = Callable[[tuple, tuple], tuple]


class Namespace:
    """Functions of a module with NumPy's names; the others by formulas of these.

    Libraries override what they have, or what they would be written with.
    """

    channels_last = False

    def __init__(self, module: Any) -> None:
        self.module = module

    def __getattr__(self, name: str) -> Any:
        return getattr(self.module, name)

    def relu(self, x: Any) -> Any:
        """max(x, 0)."""
        return self.maximum(x, 0)

    def sigmoid(self, x: Any) -> Any:
        """1 / (1 + exp(-x))."""
        return 1 / (1 + self.exp(-x))

    def gelu(self, x: Any) -> Any:
        """The approximation with tanh."""
        return 0.5 * x * (1 + self.tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))

    def linear(self, x: Any, w: Any, b: Any) -> Any:
        """x w + b."""
        return x @ w + b

    def shape(self, x: Any) -> Sequence[int]:
        """The sizes, as numbers."""
        return x.shape

    def matvec(self, a: Any, x: Any) -> Any:
        """a x for a vector."""
        return a @ x

    def vecmat(self, x: Any, a: Any) -> Any:
        """x a for a vector."""
        return x @ a

    def unstack(self, x: Any) -> Sequence[Any]:
        """The entries along the first axis."""
        return [x[i] for i in range(x.shape[0])]

    def matrix_transpose(self, x: Any) -> Any:
        """The last two axes exchanged."""
        return self.swapaxes(x, -1, -2)

    def logsumexp(self, x: Any, axis: int) -> Any:
        """log(sum(exp(x))) along an axis."""
        m = self.max(x, axis, keepdims=True)
        return self.squeeze(m, axis) + self.log(self.sum(self.exp(x - m), axis))

    def log_softmax(self, x: Any) -> Any:
        """x - logsumexp(x) along the last axis."""
        return x - self.logsumexp(x, -1)[..., None]

    def softmax(self, x: Any) -> Any:
        """exp(x) / sum(exp(x)) along the last axis."""
        return self.exp(self.log_softmax(x))

    def cross_entropy(self, z: Any, labels: Any) -> Any:
        """The mean of -log softmax(z) at the labels."""
        return -self.mean(self.log_softmax(z)[np.arange(self.shape(z)[0]), labels])

    def bce(self, z: Any, t: Any) -> Any:
        """The mean binary cross entropy of logits."""
        return self.mean(self.logaddexp(0.0, z) - z * t)

    def layer_norm(self, x: Any, w: Any, b: Any) -> Any:
        """Normalised over the last axis, scaled and shifted."""
        d = x - self.mean(x, -1, keepdims=True)
        return d / self.sqrt(self.mean(d * d, -1, keepdims=True) + 1e-5) * w + b

    def attention(self, q: Any, k: Any, v: Any) -> Any:
        """softmax(q kT / sqrt(d)) v."""
        scores = q @ self.matrix_transpose(k) * (1 / float(np.sqrt(self.shape(q)[-1])))
        return self.softmax(scores) @ v

    def fold(self, step: Step, carry: tuple, xs: Sequence[Any]) -> tuple:
        """The last of the states `step(carry, x)`, where `x` goes along the first axes of `xs`."""
        for x in zip(*map(self.unstack, xs), strict=True):
            carry = step(carry, x)
        return carry

    def recurrence(self, step: Step, carry: tuple, xs: Any) -> Any:
        """The first parts of the states of a fold over `xs`, stacked."""
        states = []
        for x in self.unstack(xs):
            carry = step(carry, x)
            states.append(carry[0])
        return self.stack(states)

    def gru(self, x: Any, w: Any, u: Any, b: Any, c: Any) -> Any:
        """The states of a gated recurrent unit: reset, update and new gates, as PyTorch's."""
        n, ut = self.shape(u)[1], self.matrix_transpose(u)

        def step(state: tuple, x: Any) -> tuple:
            (h,) = state
            a = h @ ut + c
            r = self.sigmoid(x[:, :n] + a[:, :n])
            z = self.sigmoid(x[:, n : 2 * n] + a[:, n : 2 * n])
            new = self.tanh(x[:, 2 * n :] + r * a[:, 2 * n :])
            return ((1 - z) * new + z * h,)

        return self.recurrence(
            step, (self.zeros_like_state(x, n),), self.linear(x, self.matrix_transpose(w), b)
        )

    def lstm(self, x: Any, w: Any, u: Any, b: Any, c: Any) -> Any:
        """The states of a long short-term memory: in, forget, cell and out gates, as PyTorch's."""
        n, ut = self.shape(u)[1], self.matrix_transpose(u)

        def step(state: tuple, x: Any) -> tuple:
            h, memory = state
            a = x + h @ ut
            i, f, o = (self.sigmoid(a[:, k * n : (k + 1) * n]) for k in (0, 1, 3))
            memory = f * memory + i * self.tanh(a[:, 2 * n : 3 * n])
            return o * self.tanh(memory), memory

        zeros = self.zeros_like_state(x, n)
        return self.recurrence(
            step, (zeros, zeros), self.linear(x, self.matrix_transpose(w), b + c)
        )

    def zeros_like_state(self, x: Any, n: int) -> Any:
        """Zeros for n entries in each row of the steps `x`."""
        return self.zeros((self.shape(x)[1], n), x.dtype)


class NumpyNamespace(Namespace):
    """NumPy, or a module with its names and structure, such as HIPS autograd's."""

    def __init__(self, module: Any = np, solve_triangular: Any = None) -> None:
        super().__init__(module)
        self.solve_lower = solve_triangular

    def cholesky(self, x: Any) -> Any:
        """The lower triangular factor."""
        return self.module.linalg.cholesky(x)

    def solve_triangular(self, l: Any, b: Any) -> Any:
        """x with l x = b."""
        if self.solve_lower and l.ndim == 2:
            return self.solve_lower(l, b, lower=True)
        return self.module.linalg.solve(l, b)

    def diagonal(self, x: Any) -> Any:
        """The diagonals of the last two axes."""
        return self.module.diagonal(x, 0, -1, -2)

    def conv2d(self, x: Any, w: Any, b: Any) -> Any:
        """A product for each place of the filter."""
        (_, _, m, n), edge = x.shape, ((0, 0), (0, 0), (1, 1), (1, 1))
        padded, y = self.pad(x, edge, "constant"), b[:, None, None, None]
        for i in range(3):
            for j in range(3):
                y = y + self.tensordot(w[:, :, i, j], padded[:, :, i : i + m, j : j + n], (1, 1))
        return self.swapaxes(y, 0, 1)

    def max_pool(self, x: Any) -> Any:
        """The largest entries of blocks 2x2."""
        k, c, m, n = x.shape
        return self.max(self.reshape(x, (k, c, m // 2, 2, n // 2, 2)), (3, 5))
