"""Tests that the oldest NumPy and onnx cannot pass, as what they ask of these came later.

What we promise of those versions is in the rest of the suite, which they pass. NumPy 2.0.2 and
onnx 1.22 were tried; of the versions between them and those named here some may pass more.
"""

from importlib import metadata, util

import numpy as np

ARRAYS, API = "tests/agreement/test_arrays.py", "tests/array_api"
CASES = f"{API}/test_special_cases.py::test_a_special_case"
MEMORY = "tests/staticgrad/runtime/test_memory"
VALUES = f"{ARRAYS}::test_a_function_of_numpy_has_its_value_and_dtype_for_every_dtype"
OPERATORS = f"{ARRAYS}::test_an_operator_promotes_as_numpys_on_either_side"
PROMOTION = "tests/agreement/test_promotion.py::test_dtypes_shapes_and_errors_are_torchs"

LATER = {
    ("NumPy", "2.1.0"): {
        "floor, ceil and trunc of integers are floats": [
            f"{PROMOTION}[{call}]"
            for name in ("floor", "ceil", "trunc") for call in (f"lib.{name}(a)", f"a.{name}_()")
        ],
        "DLPack has no versions, read-only memory or copies": [
            f"{API}/test_creation.py::test_memory_goes_to_other_libraries_and_comes_back",
            f"{API}/test_creation.py::test_memory_may_be_asked_for_as_a_copy_on_a_device_in_a_version",
            f"{API}/test_creation.py::test_memory_that_must_not_be_written_to_is_taken_as_such",
        ],
        "there are no cumulative_sum and cumulative_prod": [
            "tests/agreement/test_dtypes_asked_for.py::test_the_array_api[cumulative_sum]",
            "tests/agreement/test_dtypes_asked_for.py::test_the_array_api[cumulative_prod]",
        ],
        "arrays still have a ptp that only raises": [
            f"{ARRAYS}::test_every_method_of_numpys_arrays_is_tested_or_is_about_memory"
        ],
    },
    ("NumPy", "2.3.0"): {
        "quantiles of float32 are rounded elsewhere": [
            f"{VALUES}[nanpercentile-0]", f"{VALUES}[nanquantile-0]"
        ],
        "a ufunc takes more of a small stack": [
            f"tests/staticgrad/native/test_limits.py::test_stacks_of_any_size_suffice[32768-{count}]"
            for count in (3, 10, 70)
        ],
        "ufuncs and factorizations take buffers that no plan knows": [
            f"{MEMORY}_models.py::test_plans_are_near_their_bounds_and_predictions_near_what_is_"
            "measured[transformer block]",
            f"{MEMORY}_report.py::test_the_peak_of_a_run_is_what_was_predicted[mixture]",
            *[f"{MEMORY}_report.py::test_the_peak_of_triangular_solves_is_what_was_predicted"
              f"[{upper}-float64]" for upper in (False, True)],
        ],
        "condition numbers by eigenvalues may be complex": [f"{VALUES}[linalg.cond-1]"],
        "norms of matrices without entries raise": [
            f"{API}/test_conformance.py::test_{which}_do_what_the_standard_says[linalg.matrix_norm]"
            for which in ("tensors", "expressions")
        ],
        "acosh of a complex NaN has another part": [
            f"{CASES}_of_the_standard[complex acosh +0 nan]"
        ],
        "powers are no roots, squares or products, and operators choose among them": [
            f"{CASES}_that_is_left_out[pow -inf noodd>0]",
            f"{CASES}_that_is_left_out[pow -0 noodd>0]",
            "tests/dynamicgrad/func/test_writes_to_views.py"
            "::test_a_traced_step_sees_writes_through_views[through_a_row]",
            *[f"{OPERATORS}[{dtype}-pow]" for dtype in ("float64", "uint8", "bool", "int8")],
        ],
    },
    ("onnx", "1.23.0"): {
        "the reference has no convolution without entries": [
            "tests/staticgrad/onnx/test_saving.py::test_an_op_is_computed_by_other_libraries_as_by"
            f"_ours[{op}]" for op in ("conv", "conv_filters")
        ],
    },
}  # fmt: skip


def reasons() -> dict[str, str]:
    """Why tests are left out with the installed versions, by their names."""
    return {
        test: f"before {package} {version} {reason}"
        for (package, version), groups in LATER.items() if is_before(package, version)
        for reason, tests in groups.items() for test in tests
    }  # fmt: skip


def is_before(package: str, version: str) -> bool:
    """Whether a package is installed in an earlier version."""
    name = package.lower()
    return bool(util.find_spec(name)) and np.lib.NumpyVersion(metadata.version(name)) < version
