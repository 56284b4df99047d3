"""Values, gradients and products with the Hessian of losses over blocks of data."""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from gradops import FeedError, flatten
from gradops.core.errors import OptionError
from gradops.scipy.arguments import Packing
from gradops.scipy.solvers import Derivatives

from ..ir.expr import Expr
from ..runtime.feeds import as_feed
from .additivity import is_mean
from .blocks import blocks_of
from .engines.choice import EngineLike, engine_for
from .engines.protocol import TIMEOUT
from .losses import Loss, loss_of_expression, loss_of_function
from .objectives import derivatives_by_vector
from .programs import Program, executable_of, finish, graph_bytes


class ValueAndGradient:
    """The value and the gradient of a loss over all rows of some data; see `value_and_grad`."""

    def __init__(
        self, loss: Any, wrt: Any, data: Any, reduction: str | None, engine: EngineLike,
        resident: bool, backend: str, block_rows: int | None, timeout: float,
    ) -> None:  # fmt: skip
        feeds, columns = columns_of(loss, data)
        self.blocks = blocks_of(columns, block_rows)
        self.engine = engine_for(engine, self.blocks, resident, timeout)
        self.first = self.engine.first_block(self.blocks)
        self.loss: Loss = (
            loss_of_function(loss, wrt, self.first) if feeds is None
            else loss_of_expression(loss, wrt, feeds)
        )  # fmt: skip
        self.reduction, self.backend = reduction, backend
        self.mean: bool | None = None
        self.graph = self.loss.value_and_gradient()

    def __call__(self, parameters: Any) -> tuple[np.ndarray, Any]:
        """The value, and the gradient in the structure of the parameters."""
        leaves = self.leaves(parameters)
        value, *gradient = self.over_rows(self.program(leaves), leaves)
        return value, self.loss.rebuild(gradient)

    def hvp(self, parameters: Any, vector: Any) -> Any:
        """The product of the Hessian at `parameters` with a vector of their structure."""
        leaves = self.leaves(parameters)
        mean = self.program(leaves).mean
        program = Program(self.product_bytes, mean, self.backend)
        return self.loss.rebuild(self.over_rows(program, [*leaves, *self.leaves(vector)]))

    def over_rows(self, program: Program, arguments: Sequence[np.ndarray]) -> list[np.ndarray]:
        """The outputs of a program for all rows."""
        places = range(len(self.blocks))
        return list(finish(program, self.engine.reduce(program, arguments, self.blocks, places)))

    def program(self, parameters: Sequence[np.ndarray]) -> Program:
        """The program of value and gradient, once it is known if it is a sum or a mean."""
        if self.mean is None:
            run = executable_of(Program(self.gradient_bytes, False, self.backend))
            compute = lambda point, block: list(map(np.asarray, run(*point, *block)))
            self.mean = is_mean(compute, parameters, self.first, self.reduction)
        return Program(self.gradient_bytes, self.mean, self.backend)

    def __gradop_derivatives__(self, packing: Packing) -> Derivatives:
        """Its derivatives by one vector, for SciPy's solvers."""
        return derivatives_by_vector(self, packing)

    @cached_property
    def gradient_bytes(self) -> bytes:
        """The graph of value and gradient, as it is sent."""
        return graph_bytes(self.graph)

    @cached_property
    def product_bytes(self) -> bytes:
        """The graph of the product with the Hessian, as it is sent."""
        return graph_bytes(self.loss.hessian_product())

    def leaves(self, parameters: Any) -> list[np.ndarray]:
        """Parameters as arrays of the types of the loss."""
        leaves, _ = flatten(parameters)
        types = self.loss.parameters
        if len(leaves) != len(types):
            raise FeedError(f"distributed: the loss has {len(types)} parameters, not {len(leaves)}")
        return [as_parameter(e, x) for e, x in zip(self.graph.inputs, leaves, strict=False)]


def as_parameter(e: Expr, x: Any) -> np.ndarray:
    """A parameter as an array of the dtype of an input; raises FeedError for another shape."""
    array = np.asarray(x)
    if array.dtype.kind in "biuf":
        array = np.ascontiguousarray(array, e.dtype).reshape(array.shape)
    return as_feed(e, array)


def columns_of(loss: Any, data: Any) -> tuple[list[Expr] | None, Any]:
    """The placeholders that columns are fed to, None for a function, and the columns."""
    if isinstance(loss, Expr):
        if not isinstance(data, Mapping) or not data:
            hint = "value_and_grad(loss, [w], {x: columns, y: columns})"
            raise FeedError(
                f"distributed: the data of an expression is given by placeholder\n  hint: {hint}"
            )
        return list(data), tuple(data.values())
    if not callable(loss):
        raise OptionError("distributed", [], f"{loss!r} is neither a function nor an expression")
    return None, data


def value_and_grad(
    loss: Any, wrt: Any, data: Any, *, reduction: str | None = None, engine: EngineLike = None,
    resident: bool = False, backend: str = "numpy", block_rows: int | None = None,
    timeout: float = TIMEOUT,
) -> ValueAndGradient:  # fmt: skip
    """The value and the gradient of a loss over rows of data that may fit no machine.

    `loss` is a function `f(parameters, *columns)` of NumPy or of expressions, and `wrt` parameters
    like those it takes; or an expression, `wrt` placeholders or variables, and `data` a dict of
    columns by placeholder. A column is a Dask array, an array, the path of an `.npy` file, or a
    list of blocks: arrays, paths, delayed values. Several columns are a tuple. The result is called
    with parameters, and gives the value and the gradient in their structure; `hvp(parameters, v)`
    gives products with the Hessian. `sg.scipy` and `dg.scipy` take it as an objective.

    The loss is a sum or a mean over rows, which is found by trying it on a few rows; `reduction`
    says it where their values do not tell. Raises OptionError for a loss that is neither.

    The `engine` is a client of Dask, `sg.distributed.mpi()`, a number of threads, or None: the
    client in use, for data of Dask, and else threads of this process, which hold a block each. With
    `resident=True` the workers of Dask keep data and program, which is faster for data that fits
    their memory. The bits of results depend on the blocks alone. One array or file is cut into
    blocks of 32 MB, or `block_rows` rows. Raises EngineError if there is no result within `timeout`
    seconds.

    >>> x = np.arange(6.0)
    >>> loss = lambda w, x: np.mean((w * x - 2 * x) ** 2)
    >>> f = sg.distributed.value_and_grad(loss, 0.0, [x[:4], x[4:]])
    >>> f(1.0)
    (np.float64(9.166666666666666), np.float64(-18.333333333333332))
    >>> f.hvp(1.0, 1.0)
    np.float64(18.333333333333332)
    """
    return ValueAndGradient(
        loss, wrt, data, reduction, engine, resident, backend, block_rows, timeout
    )


def hvp(loss: Any, wrt: Any, data: Any, **options: Any) -> Any:
    """Products with the Hessian of a loss over rows: a function of parameters and a vector.

    Arguments are those of `value_and_grad`.

    >>> x = np.arange(6.0)
    >>> times = sg.distributed.hvp(lambda w, x: np.sum((w * x) ** 2), 0.0, [x[:4], x[4:]])
    >>> times(0.0, 1.0)
    np.float64(110.0)
    """
    return value_and_grad(loss, wrt, data, **options).hvp
