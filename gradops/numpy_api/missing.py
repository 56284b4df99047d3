"""NumPy functions that tensors and expressions do not support, and the reasons.

A test requires every other function of NumPy to run in both packages.
"""

from collections.abc import Mapping

from ..core.errors import BY_HAND

TABLE: Mapping[tuple[str, str], str] = {
    (
        "it writes into its argument",
        "build a new one: np.where, x.at[index].set(value), np.stack of a list of values",
    ): "copyto fill_diagonal place put put_along_axis putmask",
    (
        "the shape of its result depends on the values",
        "call it on plain arrays, outside of what is differentiated or built",
    ): "bincount histogram histogram2d histogram_bin_edges histogramdd lexsort real_if_close "
       "trim_zeros",
    (
        "it has no derivative and is about arrays in memory",
        "call it on plain arrays: on results, outside of what is differentiated or built",
    ): "busday_count busday_offset datetime_as_string einsum_path is_busday isnat may_share_memory "
       "min_scalar_type packbits ravel_multi_index save savetxt savez savez_compressed "
       "shares_memory unpackbits unravel_index",
    (
        "it is about the bits or the divisors of integers, and has no derivative",
        "call it on plain arrays, outside of what is differentiated or built",
    ): "bitwise_count gcd lcm",
    (
        "it takes numbers apart in a way that has no derivative",
        "compute with log2, floor and exp2",
    ): "frexp ldexp spacing",
    (
        "its results come in no particular order",
        "np.linalg.eigvals gives them for the companion matrix; np.sort sorts real numbers",
    ): "roots sort_complex",
    (
        "polynomials are divided step by step, as the values say",
        "divide values: polyval(u, x) / polyval(v, x)",
    ): "polydiv",
}  # fmt: skip

REASONS = {name: why for why, names in TABLE.items() for name in names.split()}
UNKNOWN = ("tensors and expressions do not know it", BY_HAND)


def reason_for(space: str, name: str) -> tuple[str, str]:
    """The reason why a function of NumPy is unsupported, and a hint."""
    return REASONS.get(".".join(filter(None, (space, name))), UNKNOWN)


def is_absent(space: str, name: str) -> bool:
    """True if a function of NumPy is listed as unsupported."""
    return ".".join(filter(None, (space, name))) in REASONS
