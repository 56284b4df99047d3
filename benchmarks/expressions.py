"""What each op computes in NumPy, and which ops nobody would write there."""

from expressions_of_arrays import ARRAYS
from expressions_of_subjects import SUBJECTS

CALLS = ARRAYS | SUBJECTS
PARTS = (
    "at_labels class_error ensure_shape forget_sizes positions prod_others gelu_slope survivors "
    "product_at conv_operand conv_filters places_of_max put_into_windows pick_from_windows "
    "sum_unpool gamma_tail gamma_slope place_diagonal inverse_spread cofactors "
    "second_of_det fold_back "
    "inverse_permutation argmode counted lstm_gates lstm_memory lstm_hidden gru_gates gru_state "
    "run_starts run_lengths sum_windows linear_recurrence standardize_slope"
)
NOT_COMPARED = {
    "fold_in": "NumPy has no keys",
    **dict.fromkeys(PARTS.split(), "a part of another function, which nobody writes by itself"),
}
