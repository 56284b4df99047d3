"""TensorFlow: functions traced to graphs, run as such or compiled by XLA."""

from collections.abc import Callable, Sequence
from typing import Any

import tensorflow as tf

from ..workload import ADAM, RATE, Arrays, Run, Workload, directions
from .interface import request
from .namespace import Namespace, Step

CHANNELS_LAST = True


class TensorflowNamespace(Namespace):
    """TensorFlow's functions under the names that programs use."""

    def sum(self, x: Any, *axis: Any) -> Any:
        return tf.reduce_sum(x, *axis)

    def mean(self, x: Any, *axis: Any, keepdims: bool = False) -> Any:
        return tf.reduce_mean(x, *axis, keepdims=keepdims)

    def log(self, x: Any) -> Any:
        return tf.math.log(x)

    def relu(self, x: Any) -> Any:
        return tf.nn.relu(x)

    def gelu(self, x: Any) -> Any:
        return tf.nn.gelu(x, approximate=True)

    def concatenate(self, xs: Any, axis: int) -> Any:
        return tf.concat(xs, axis)

    def unstack(self, x: Any) -> Any:
        return tf.unstack(x)

    def matrix_transpose(self, x: Any) -> Any:
        return tf.linalg.matrix_transpose(x)

    def matvec(self, a: Any, x: Any) -> Any:
        return tf.linalg.matvec(a, x)

    def vecmat(self, x: Any, a: Any) -> Any:
        return tf.linalg.matvec(a, x, transpose_a=True)

    def logsumexp(self, x: Any, axis: int) -> Any:
        return tf.reduce_logsumexp(x, axis)

    def log_softmax(self, x: Any) -> Any:
        return tf.nn.log_softmax(x)

    def softmax(self, x: Any) -> Any:
        return tf.nn.softmax(x)

    def sigmoid(self, x: Any) -> Any:
        return tf.sigmoid(x)

    def cholesky(self, x: Any) -> Any:
        return tf.linalg.cholesky(x)

    def diagonal(self, x: Any) -> Any:
        return tf.linalg.diag_part(x)

    def take(self, x: Any, i: Any, axis: int) -> Any:
        return tf.gather(x, i, axis=axis)

    def conv2d(self, x: Any, w: Any, b: Any) -> Any:
        return tf.nn.conv2d(x, w, 1, "SAME") + b

    def max_pool(self, x: Any) -> Any:
        return tf.nn.max_pool2d(x, 2, 2, "VALID")

    def cross_entropy(self, z: Any, labels: Any) -> Any:
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, z))

    def bce(self, z: Any, t: Any) -> Any:
        return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(t, z))

    def solve_triangular(self, l: Any, b: Any) -> Any:
        return tf.linalg.triangular_solve(l, b)

    def fold(self, step: Step, carry: tuple, xs: Sequence[Any]) -> tuple:
        body = lambda i, state, _: (step(state, entries(i)), ())
        entries, count = readers(xs)
        return loop(count, body, carry, ())[0]

    def recurrence(self, step: Step, carry: tuple, xs: Any) -> Any:
        entries, count = readers([xs])

        def body(i: Any, state: tuple, written: tuple) -> Any:
            state = step(state, entries(i)[0])
            return state, (written[0].write(i, state[0]),)

        empty = tf.TensorArray(xs.dtype, count, element_shape=carry[0].shape)
        return loop(count, body, carry, (empty,))[1][0].stack()


def readers(xs: Sequence[Any]) -> tuple[Callable[[Any], tuple], int]:
    """A function from an index to the entries there, and their number."""
    arrays = [tf.TensorArray(x.dtype, x.shape[0], element_shape=x.shape[1:]).unstack(x) for x in xs]
    return lambda i: tuple(a.read(i) for a in arrays), xs[0].shape[0]


def loop(count: int, body: Any, carry: tuple, written: tuple) -> Any:
    """The last values of a loop of known length."""

    def step(i: Any, carry: tuple, written: tuple) -> Any:
        return i + 1, *body(i, carry, written)

    start = (tf.constant(0), carry, written)
    return tf.while_loop(lambda i, *_: i < count, step, start, maximum_iterations=count)[1:]


def build(workload: Workload, params: Arrays, data: Arrays, xla: bool = False) -> Run:
    """The workload as a function of tensors."""
    xp, make = TensorflowNamespace(tf), request(workload, REQUESTS)
    constants = [tf.constant(d) for d in data]
    return make(lambda params, data: workload.program(xp, params, data), params, constants, xla)


def calling(f: Callable[[Any, Any], Any]) -> Callable[..., Run]:
    """Build a run of `f(loss, vectors)`, a function of parameters and data."""

    def build_run(loss: Any, params: Arrays, data: Any, xla: bool) -> Run:
        vectors = [tf.constant(v) for v in directions(params)]
        function = tf.function(f(loss, vectors), jit_compile=xla or None)
        tensors = [tf.constant(p) for p in params]
        return lambda: function(tensors, data)

    return build_run


def gradient(loss: Any, _: Any) -> Any:
    """Value and gradients."""

    def both(params: Any, data: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(params)
            value = loss(params, data)
        return [value, *tape.gradient(value, params)]

    return both


def hvp(loss: Any, vectors: Any) -> Any:
    """The gradient of the gradient, with vectors as cotangents."""

    def product(params: Any, data: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(params)
            grads = gradient(loss, None)(params, data)[1:]
        return tape.gradient(grads, params, output_gradients=vectors)

    return product


def hessian(loss: Any, _: Any) -> Any:
    """Row by row, in one graph."""

    def rows(params: Any, data: Any) -> Any:
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(params[0])
            entries = tf.unstack(gradient(loss, None)(params, data)[1])
        return [tf.stack([tape.gradient(g, params[0]) for g in entries])]

    return rows


def jacobian(loss: Any, _: Any) -> Any:
    """The blocks of each column: a gradient for each row of the output."""

    def blocks(params: Any, data: Any) -> Any:
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(params)
            value = loss(params, data)
            rows = tf.unstack(value)
        found = [tape.gradient(row, params) for row in rows]
        return [value, *[tf.stack(block) for block in zip(*found, strict=True)]]

    return blocks


def stepping(make: Callable[[], Any]) -> Callable[..., Run]:
    """A training step: variables, and an optimizer of Keras."""

    def build_step(loss: Any, params: Arrays, data: Any, xla: bool) -> Run:
        variables, optimizer = [tf.Variable(p) for p in params], make()
        optimizer.build(variables)

        @tf.function(jit_compile=xla or None)
        def step(data: Any) -> Any:
            with tf.GradientTape() as tape:
                value = loss(variables, data)
            grads = tape.gradient(value, variables)
            optimizer.apply_gradients(zip(grads, variables, strict=True))
            return value

        return lambda: [step(data), *variables]

    return build_step


def arrays(results: Sequence[Any]) -> Arrays:
    """The results as NumPy arrays."""
    return [r.numpy() for r in results]


REQUESTS = {
    "gradient": calling(gradient), "hvp": calling(hvp), "hessian": calling(hessian),
    "jacobian": calling(jacobian),
    "sgd": stepping(lambda: tf.keras.optimizers.SGD(RATE)),
    "adam": stepping(lambda: tf.keras.optimizers.Adam(ADAM["rate"], epsilon=ADAM["eps"])),
}  # fmt: skip
