"""What of the standard is left out, and why. The lists may only shrink: what works must go.

`LEFT_OUT` is of the namespace of tensors, `NOT_SYMBOLIC` of that of expressions in addition.
"""

NO_OP = "no op yet"
LEFT_OUT = dict.fromkeys([
    "argsort", "fft.fft", "fft.fftn", "fft.fftshift", "fft.hfft", "fft.ifft", "fft.ifftn",
    "fft.ifftshift", "fft.ihfft", "fft.irfft", "fft.irfftn", "fft.rfft", "fft.rfftn",
    "isin", "linalg.cholesky", "linalg.cross", "linalg.det", "linalg.eig", "linalg.eigh",
    "linalg.eigvals", "linalg.eigvalsh", "linalg.inv", "linalg.matrix_norm",
    "linalg.matrix_power", "linalg.matrix_rank", "linalg.outer", "linalg.pinv", "linalg.qr",
    "linalg.slogdet", "linalg.solve", "linalg.svd", "linalg.svdvals", "linalg.tensordot",
    "linalg.trace", "linalg.vecdot", "nonzero", "searchsorted", "sort", "tensordot",
    "unique_all", "unique_counts", "unique_inverse", "unique_values", "vecdot",
], NO_OP)  # fmt: skip

DATA = "the shape of the result depends on data"
VALUE = "the value is known only when the graph runs"
NOT_SYMBOLIC = {
    "nonzero": DATA, "unique_all": DATA, "unique_counts": DATA, "unique_inverse": DATA,
    "unique_values": DATA, "from_dlpack": "a graph takes memory as it is fed",
    "array.__bool__": VALUE, "array.__complex__": VALUE, "array.__float__": VALUE,
    "array.__int__": VALUE, "array.__index__": VALUE, "array.__dlpack__": VALUE,
    "array.__dlpack_device__": VALUE, "array.__setitem__": "expressions do not change",
}  # fmt: skip
