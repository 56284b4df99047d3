"""The optimizers under TensorFlow 1's names, with its arguments, defaults and formulas.

`use_locking` is accepted and does nothing: runs of a session follow one another. Numbers are those
that were given: TensorFlow rounds them to float32, also for variables of float64.
"""

from typing import Any

from gradops import OptionError
from gradops.nn import optimizer_updates

from .optimizer import STEP, Optimizer

ADAM = {STEP: (STEP, 0.0), "exp_avg": ("m", 0.0), "exp_avg_sq": ("v", 0.0)}


class GradientDescentOptimizer(Optimizer):
    """Gradient descent: variables move by the rate times the gradient. It is `dg.optim.SGD`.

    >>> w = sg.Variable(1.0, name="w")
    >>> train = sg.train.GradientDescentOptimizer(0.25).minimize(w * w)
    >>> session = sg.Session()
    >>> session.run(train), session.run(w)
    (None, np.float32(0.5))
    """

    def __init__(
        self, learning_rate: Any, use_locking: bool = False, name: str = "GradientDescent"
    ) -> None:
        super().__init__(optimizer_updates.sgd, learning_rate, name, {})


class MomentumOptimizer(Optimizer):
    """Gradient descent along a running sum of gradients. It is `dg.optim.SGD` with momentum.

    >>> w = sg.Variable(1.0, name="w")
    >>> train = sg.train.MomentumOptimizer(0.25, 0.5).minimize(w * w)
    >>> session = sg.Session()
    >>> session.run(train), session.run(train), session.run(w)
    (None, None, np.float32(0.0))
    """

    def __init__(
        self,
        learning_rate: Any,
        momentum: float,
        use_locking: bool = False,
        name: str = "Momentum",
        use_nesterov: bool = False,
    ) -> None:
        slots = {"momentum_buffer": ("momentum", 0.0)} if momentum else {}
        super().__init__(
            optimizer_updates.sgd,
            learning_rate,
            name,
            slots,
            momentum=momentum,
            nesterov=use_nesterov,
        )


class AdamOptimizer(Optimizer):
    """Adam, with running means of the gradient and of its square.

    TensorFlow adds `epsilon` before the means are corrected for their start, PyTorch after;
    `epsilon_hat=False` is PyTorch's form, and then it is `dg.optim.Adam`.

    >>> w = sg.Variable(1.0, name="w")
    >>> train = sg.train.AdamOptimizer(0.25, beta1=0.5, beta2=0.75).minimize(w * w)
    >>> session = sg.Session()
    >>> session.run(train), session.run(w)
    (None, np.float32(0.75))
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
        use_locking: bool = False,
        name: str = "Adam",
        *,
        epsilon_hat: bool = True,
    ) -> None:
        super().__init__(
            optimizer_updates.adam, learning_rate, name, ADAM,
            betas=(beta1, beta2), eps=epsilon, eps_hat=epsilon_hat,
        )  # fmt: skip


class AdamWOptimizer(Optimizer):
    """Adam with weight decay that does not go through the running means. It is `dg.optim.AdamW`.

    TensorFlow 1 has none of its own; the decay is multiplied by the rate, as in PyTorch and Keras.

    >>> w = sg.Variable(1.0, name="w")
    >>> train = sg.train.AdamWOptimizer(0.25, weight_decay=0.5).minimize(w * w)
    >>> session = sg.Session()
    >>> session.run(train), session.run(w)
    (None, np.float32(0.625))
    """

    def __init__(
        self,
        learning_rate: Any = 0.001,
        weight_decay: float = 0.01,
        beta1: float = 0.9,
        beta2: float = 0.999,
        epsilon: float = 1e-8,
        name: str = "AdamW",
    ) -> None:
        super().__init__(
            optimizer_updates.adamw, learning_rate, name, ADAM,
            betas=(beta1, beta2), eps=epsilon, weight_decay=weight_decay,
        )  # fmt: skip


class AdagradOptimizer(Optimizer):
    """The gradient over the root of the sum of its squares, which begins with a positive number.

    It is `dg.optim.Adagrad` with the same initial value and `eps=0`.

    >>> w = sg.Variable(1.0, name="w")
    >>> train = sg.train.AdagradOptimizer(0.25, initial_accumulator_value=5.0).minimize(w * w)
    >>> session = sg.Session()
    >>> session.run(train), session.run(w)
    (None, np.float32(0.8333333))
    """

    def __init__(
        self,
        learning_rate: Any,
        initial_accumulator_value: float = 0.1,
        use_locking: bool = False,
        name: str = "Adagrad",
    ) -> None:
        if not initial_accumulator_value > 0:
            raise OptionError(
                "AdagradOptimizer", [], "initial_accumulator_value must be positive, not"
                f" {initial_accumulator_value}",
            )  # fmt: skip
        slots = {"sum": ("accumulator", initial_accumulator_value)}
        super().__init__(optimizer_updates.adagrad, learning_rate, name, slots, eps=0.0)


class RMSPropOptimizer(Optimizer):
    """The gradient over the root of the running mean of its square, which begins with ones.

    It is not `dg.optim.RMSprop`, whose mean begins with zeros, whose epsilon is not under the root,
    and whose rate is no part of what momentum adds up; for that one, write
    `sg.train.Optimizer(gradops.nn.optimizer_updates.rmsprop, 0.01)`.

    >>> w = sg.Variable(1.0, name="w")
    >>> train = sg.train.RMSPropOptimizer(0.25, decay=0.0).minimize(w * w)
    >>> session = sg.Session()
    >>> session.run(train), session.run(w)
    (None, np.float32(0.75))
    """

    def __init__(
        self,
        learning_rate: Any,
        decay: float = 0.9,
        momentum: float = 0.0,
        epsilon: float = 1e-10,
        use_locking: bool = False,
        centered: bool = False,
        name: str = "RMSProp",
    ) -> None:
        slots = {"square_avg": ("rms", 1.0)}
        slots |= {"grad_avg": ("mg", 0.0)} if centered else {}
        slots |= {"momentum_buffer": ("momentum", 0.0)} if momentum else {}
        super().__init__(
            optimizer_updates.rmsprop_graves, learning_rate, name, slots,
            alpha=decay, eps=epsilon, momentum=momentum, centered=centered,
        )  # fmt: skip
