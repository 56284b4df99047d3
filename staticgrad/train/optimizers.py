"""The optimizers with TensorFlow 1's names, arguments, defaults and formulas.

`use_locking` is accepted and ignored: runs of a session do not overlap. Options keep their
precision, where TensorFlow rounds them to float32, also for variables of float64.
"""

from gradops import OptionError
from gradops.nn.optimizer_updates import adagrad, adam, adamw, rmsprop_graves, sgd
from gradops.typing import Operand

from .optimizer import STEP, Optimizer

ADAM = {STEP: (STEP, 0.0), "exp_avg": ("m", 0.0), "exp_avg_sq": ("v", 0.0)}


class GradientDescentOptimizer(Optimizer):
    """Gradient descent, as `dg.optim.SGD`.

    >>> w = sg.Variable(1.0, name="w")
    >>> train = sg.train.GradientDescentOptimizer(0.25).minimize(w * w)
    >>> session = sg.Session()
    >>> session.run(train), session.run(w)
    (None, np.float32(0.5))
    """

    def __init__(
        self, learning_rate: Operand, use_locking: bool = False, name: str = "GradientDescent"
    ) -> None:
        super().__init__(sgd, learning_rate, name, {})


class MomentumOptimizer(Optimizer):
    """Gradient descent with momentum, as `dg.optim.SGD`.

    >>> w = sg.Variable(1.0, name="w")
    >>> train = sg.train.MomentumOptimizer(0.25, 0.5).minimize(w * w)
    >>> session = sg.Session()
    >>> session.run(train), session.run(train), session.run(w)
    (None, None, np.float32(0.0))
    """

    def __init__(
        self, learning_rate: Operand, momentum: float, use_locking: bool = False,
        name: str = "Momentum", use_nesterov: bool = False,
    ) -> None:  # fmt: skip
        slots = {"momentum_buffer": ("momentum", 0.0)} if momentum else {}
        super().__init__(sgd, learning_rate, name, slots, momentum=momentum, nesterov=use_nesterov)


class AdamOptimizer(Optimizer):
    """Adam, with running means of the gradient and of its square.

    TensorFlow adds `epsilon` before the bias correction of the means, PyTorch after it;
    `epsilon_hat=False` is PyTorch's form, as in `dg.optim.Adam`.

    >>> w = sg.Variable(1.0, name="w")
    >>> train = sg.train.AdamOptimizer(0.25, beta1=0.5, beta2=0.75).minimize(w * w)
    >>> session = sg.Session()
    >>> session.run(train), session.run(w)
    (None, np.float32(0.75))
    """

    def __init__(
        self, learning_rate: Operand = 0.001, beta1: float = 0.9, beta2: float = 0.999,
        epsilon: float = 1e-8, use_locking: bool = False, name: str = "Adam", *,
        epsilon_hat: bool = True,
    ) -> None:  # fmt: skip
        super().__init__(
            adam, learning_rate, name, ADAM,
            betas=(beta1, beta2), eps=epsilon, eps_hat=epsilon_hat,
        )  # fmt: skip


class AdamWOptimizer(Optimizer):
    """Adam with decoupled weight decay, as `dg.optim.AdamW`.

    TensorFlow 1 does not have it; the decay is multiplied by the rate, as in PyTorch and Keras.

    >>> w = sg.Variable(1.0, name="w")
    >>> train = sg.train.AdamWOptimizer(0.25, weight_decay=0.5).minimize(w * w)
    >>> session = sg.Session()
    >>> session.run(train), session.run(w)
    (None, np.float32(0.625))
    """

    def __init__(
        self, learning_rate: Operand = 0.001, weight_decay: float = 0.01, beta1: float = 0.9,
        beta2: float = 0.999, epsilon: float = 1e-8, name: str = "AdamW",
    ) -> None:  # fmt: skip
        super().__init__(
            adamw, learning_rate, name, ADAM,
            betas=(beta1, beta2), eps=epsilon, weight_decay=weight_decay,
        )  # fmt: skip


class AdagradOptimizer(Optimizer):
    """Adagrad: the gradient divided by the root of the sum of its squares.

    It equals `dg.optim.Adagrad` with the same initial sum and `eps=0`.

    >>> w = sg.Variable(1.0, name="w")
    >>> train = sg.train.AdagradOptimizer(0.25, initial_accumulator_value=5.0).minimize(w * w)
    >>> session = sg.Session()
    >>> session.run(train), session.run(w)
    (None, np.float32(0.8333333))
    """

    def __init__(
        self, learning_rate: Operand, initial_accumulator_value: float = 0.1,
        use_locking: bool = False, name: str = "Adagrad",
    ) -> None:  # fmt: skip
        if not initial_accumulator_value > 0:
            reason = f"initial_accumulator_value must be positive, not {initial_accumulator_value}"
            raise OptionError("AdagradOptimizer", [], reason)
        slots = {"sum": ("accumulator", initial_accumulator_value)}
        super().__init__(adagrad, learning_rate, name, slots, eps=0.0)


class RMSPropOptimizer(Optimizer):
    """RMSProp: the gradient divided by the root of a running mean of its square, initially one.

    It differs from `dg.optim.RMSprop`, where the initial mean is zero, epsilon is not under the
    root, and momentum accumulates without the rate; for that one, write
    `sg.train.Optimizer(gradops.nn.optimizer_updates.rmsprop, 0.01)`.

    >>> w = sg.Variable(1.0, name="w")
    >>> train = sg.train.RMSPropOptimizer(0.25, decay=0.0).minimize(w * w)
    >>> session = sg.Session()
    >>> session.run(train), session.run(w)
    (None, np.float32(0.75))
    """

    def __init__(
        self, learning_rate: Operand, decay: float = 0.9, momentum: float = 0.0,
        epsilon: float = 1e-10, use_locking: bool = False, centered: bool = False,
        name: str = "RMSProp",
    ) -> None:  # fmt: skip
        slots = {"square_avg": ("rms", 1.0)}
        slots |= {"grad_avg": ("mg", 0.0)} if centered else {}
        slots |= {"momentum_buffer": ("momentum", 0.0)} if momentum else {}
        super().__init__(
            rmsprop_graves, learning_rate, name, slots,
            alpha=decay, eps=epsilon, momentum=momentum, centered=centered,
        )  # fmt: skip
