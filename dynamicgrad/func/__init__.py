"""Transforms of functions, under the names of `torch.func`; they nest in any order.

>>> import dynamicgrad as dg
>>> per_example = dg.func.vmap(dg.func.grad(lambda w, x: (w * x).sum() ** 2), in_dims=(None, 0))
>>> per_example(dg.ones(2), dg.tensor([[1.0, 2.0], [3.0, 4.0]]))
tensor([[ 6., 12.],
        [42., 56.]])
"""

from .batching import vmap
from .forward import jvp, linearize
from .jacobians import hessian, hvp, jacfwd, jacobian, jacrev
from .modules import functional_call, stack_module_state
from .reverse import grad, grad_and_value, value_and_grad, vjp
from .taylor import jet

__all__ = [
    "functional_call", "grad", "grad_and_value", "hessian", "hvp", "jacfwd", "jacobian", "jacrev",
    "jet", "jvp", "linearize", "stack_module_state", "value_and_grad", "vjp", "vmap",
]  # fmt: skip
