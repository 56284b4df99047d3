"""What a careful person would write in NumPy for each op whose source is not NumPy itself."""

from . import arranging, entries, matrices, networks, special

CALLS = {
    **arranging.CALLS,
    **entries.CALLS,
    **matrices.CALLS,
    **networks.CALLS,
    **special.CALLS,
}
PARTS = (
    "argmode at_labels class_error cofactors conv_filters conv_operand counted "
    "divide_by_rms_slope ensure_shape fold_back forget_sizes gamma_slope gamma_tail "
    "gelu_slope gru_gates gru_state inverse_permutation inverse_spread linear_recurrence "
    "lstm_gates lstm_hidden lstm_memory pick_from_windows place_diagonal places_of_max "
    "positions prod_others product_at put_into_windows run_lengths run_starts second_of_det "
    "standardize_slope sum_unpool sum_windows survivors"
)
NOT_COMPARED = {
    "fold_in": "NumPy has no keys",
    **dict.fromkeys(PARTS.split(), "a part of another function, which nobody writes by itself"),
}
