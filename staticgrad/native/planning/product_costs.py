"""The time that a product of matrices is predicted to take in each of the ways to compute it.

Note [Borders of products]. Products of a few entries are written out or added up in loops; those of
middling size are calls of our own product, which needs no packing then; and large ones those of
BLAS. Where the borders lie the cost table says.
"""

from gradops.native.costs import LARGE_PRODUCT, CostTable, Speeds
from gradops.native.ir.places import Place

from ..templates.blas_calls import is_for_gemv
from ..templates.own_products import turned
from ..templates.small_products import LONGEST, is_small

LOOPS, OURS, BLAS = "loops", "our product", "BLAS"
RAGGED = 80  # multiplications in whose time loops add a row that does not fill registers
ALONE = 4  # multiplications in whose time one is added to a sum of its own, and not a row of them
REGISTER = 64  # bytes
ENTERED = 1.1  # of BLAS's times, what it costs to tell it the number of threads
READ = 3  # multiplications in whose time an entry of a matrix is read from afar, or out of order


def times_of_product(table: CostTable, a: Place, b: Place) -> dict[str, float]:
    """The nanoseconds of each way to multiply two matrices. See Note [Borders of products]."""
    (m, k), n = a.shape, b.shape[1]
    speeds, work = table.of(a.dtype), m * n * k
    result = {LOOPS: multiplications_in_loops(a, b) * speeds.product}
    if a.dtype.kind != "f" or not work:  # BLAS leaves sums of nothing as they are
        return result
    if min(m, n) == 1:
        matrix, vector = (turned(b), turned(a)) if m == 1 else (a, b)
        if is_for_gemv(matrix, vector):
            result[BLAS] = 2 * table.blas_call + READ * work * speeds.blas
        return result
    ours, blas = rates(speeds, work)
    width = REGISTER // b.dtype.itemsize
    padded = m * k * (-(-n // width) * width)
    brought = READ * k * n * speeds.product if b.strides[1] != 1 else 0.0
    return result | {
        OURS: table.product_call + padded * ours + brought,
        BLAS: ENTERED * (table.blas_call + work * blas) + brought,
    }


def rates(speeds: Speeds, work: int) -> tuple[float, float]:
    """The nanoseconds of a multiplication in our product and in BLAS's."""
    if work < LARGE_PRODUCT:
        return speeds.own_product, speeds.blas
    return speeds.own_product_large, speeds.blas_large


def multiplications_in_loops(a: Place, b: Place) -> int:
    """The multiplications in whose time our loops compute a product."""
    (m, k), n = a.shape, b.shape[1]
    if is_small(b):
        return m * n * k if is_entrywise(b) else m * k * LONGEST
    if is_entrywise(b):
        return m * n * k * ALONE
    return m * k * (n + (RAGGED if n % (REGISTER // b.dtype.itemsize) else 0))


def is_entrywise(b: Place) -> bool:
    """True if loops compute a product by this matrix entry by entry, and not row by row."""
    return b.shape[1] == 1 or (b.strides[1] != 1 and b.strides[0] == 1)
