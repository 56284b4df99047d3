"""What of the standard is left out, and why. The lists may only shrink: what works must go.

`LEFT_OUT` is of the namespace of tensors, `NOT_SYMBOLIC` of that of expressions in addition.
"""

LEFT_OUT: dict[str, str] = {}

VALUE = "the value is known only when the graph runs"
NOT_SYMBOLIC = {
    "array.__bool__": VALUE, "array.__complex__": VALUE, "array.__float__": VALUE,
    "array.__int__": VALUE, "array.__index__": VALUE, "array.__dlpack__": VALUE,
    "array.__dlpack_device__": VALUE, "array.__setitem__": "expressions do not change",
}  # fmt: skip

FLOORS = "NumPy's kernel, which goes with its remainder; the standard says that libraries differ"
ROOT = "NumPy takes the power 0.5 for a square root"
SPECIAL_CASES = {
    "floor_divide +inf >0": FLOORS, "floor_divide +inf <0": FLOORS,
    "floor_divide -inf >0": FLOORS, "floor_divide -inf <0": FLOORS,
    "floor_divide >0 -inf": FLOORS, "floor_divide <0 +inf": FLOORS,
    "pow -inf noodd>0": ROOT, "pow -0 noodd>0": ROOT,
}  # fmt: skip
"""Rows of `special_cases` that do not hold."""
