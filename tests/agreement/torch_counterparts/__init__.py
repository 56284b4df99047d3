"""What computes an op in torch, where that is not a function of the same name and arguments.

A counterpart takes the module `torch`, the operands as tensors and the attributes by our names.
"""

from gradops import OPS
from gradops.kernels.elementwise import scipy_kernels

from . import arranging, choosing, entries, equations, matrices, networks, reductions

COUNTERPARTS = {
    **arranging.COUNTERPARTS,
    **choosing.COUNTERPARTS,
    **entries.COUNTERPARTS,
    **equations.COUNTERPARTS,
    **matrices.COUNTERPARTS,
    **networks.COUNTERPARTS,
    **reductions.COUNTERPARTS,
}
REASONS = {
    "signs and phases of vectors are free: see tests/dynamicgrad/test_linalg.py": "eig eigh svd",
    "torch draws other numbers": (
        "fold_in random_bernoulli random_cauchy random_exponential random_gamma random_gumbel "
        "random_integers random_laplace random_logistic random_loggamma random_normal "
        "random_permutation random_poisson random_uniform truncated_normal"
    ),
    "an op of ours that has no name in torch": (
        "add_along_axis at_labels beta_tail class_error class_labels column_order copy_slices "
        "counted ensure_shape exp_difference extend fold_back forget_sizes gamma_slope gamma_tail "
        "gelu_slope gru_gates gru_state inverse_permutation linear_recurrence lstm_gates "
        "lstm_hidden lstm_memory place_diagonal positions prod_others row_order run_lengths "
        "run_starts sum_windows survivors"
    ),
    "torch has no function, or no derivative": "exprel matrix_log matrix_sqrt solve_riccati "
    + " ".join(
        op.name
        for op in OPS.values()
        if getattr(op.kernel, "__module__", "") == scipy_kernels.__name__
    ),
    "torch has no second derivative of it where factors are zero": "product_at",
    "torch chooses any of equal entries": "argmode",
    "torch does not differentiate it": "heaviside",
}
WITHOUT = {name: reason for reason, names in REASONS.items() for name in names.split()}
