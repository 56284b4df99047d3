"""The function by which Python calls a kernel.

Note [Entry of a kernel]. Arguments are operands, counts, numbers, and for each result an array or
None. The function reads headers of arrays itself; operands that are not arrays of the kernel's
dtypes, in the order of C unless they are strided, with sizes that fit, give NotImplemented, and
NumPy's kernel runs instead. So it does for a result that overlaps an operand otherwise than entry
for entry. Much work is shared by the pool of threads, without the GIL. Whether it
is depends on sizes alone.
"""

import numpy as np

from ..ir.headers import (
    ALIGNED,
    DATA,
    DTYPE,
    FLAGS,
    NEEDED,
    RANK,
    SIZES,
    STEPS,
    TYPE,
    WRITABLE,
    read,
    require,
)
from ..ir.text import FunctionText, Index, ceil_div, plus, times
from ..runtime.stack import RESERVE
from ..runtime.symbols import dtype_symbol
from .kernel import Array, Kernel
from .overlaps import are_apart

WORTH = 1 << 17  # operations from which threads share the passes
MOST = 64  # axes, and threads


def symbol_of_entry(kernel: Kernel) -> str:
    """The name of the function."""
    return f"entry_{kernel.name}"


def entry(kernel: Kernel) -> FunctionText:
    """The text of the function. See Note [Entry of a kernel]."""
    f = FunctionText(f"define ptr @{symbol_of_entry(kernel)}(ptr %self, ptr %args, i64 %count)")
    given = (kernel.operands, kernel.counts, kernel.numbers, kernel.results)
    require(f, f"icmp eq i64 %count, {sum(map(len, given))}", "no")
    if kernel.stack:
        left = f.emit("call i64 @stack_left()")
        require(f, f"icmp sgt i64 {left}, {kernel.stack + RESERVE}", "no")
    for dtype in kernel.dtypes:
        other = f"not_{dtype.kind}{dtype.itemsize}"
        EntryText(kernel, f, dtype, other).write()
        f.start(other)
    f.jump("no")
    f.start("no")
    f.do("call void @Py_IncRef(ptr @not_implemented)")
    f.do("ret ptr @not_implemented")
    return f


class EntryText:
    """Writes the part of the function for floats of one dtype."""

    def __init__(self, kernel: Kernel, f: FunctionText, dtype: np.dtype, other: str) -> None:
        self.kernel, self.f, self.dtype, self.other = kernel, f, dtype, other
        self.env = f.reserve("i64", len(kernel.slots))
        self.given: list[tuple[Array, str]] = []  # operands, and their headers
        self.slots: list[str] = []  # where results are to be found if something fails
        self.sizes: dict[str, Index] = {}
        self.like: tuple[str, str] = "", ""  # the sizes of the axes before, and their number

    def write(self) -> None:
        """Check operands, make results, compute, and return them."""
        f, kernel = self.f, self.kernel
        arguments = iter([read(f, "%args", 8 * i, "ptr") for i in range(self.count)])
        for a in kernel.operands:
            self.take(a, next(arguments))
        for name in kernel.counts:
            count = f.emit(f"call i64 @PyLong_AsSsize_t(ptr {next(arguments)})", "n")
            self.sizes[name] = count
        for name in kernel.numbers:
            number = f.emit(f"call double @PyFloat_AsDouble(ptr {next(arguments)})")
            self.store(name, "double", number)
        if kernel.counts or kernel.numbers:
            self.require_no_error()
        self.sizes.setdefault("rows", 1)
        for name in kernel.sizes:
            self.store(name, "i64", self.sizes[name])
        outs = list(arguments)
        for a, x in zip(kernel.results, outs, strict=True):
            self.give(a, x)
        self.compute()
        self.leave(outs)

    @property
    def count(self) -> int:
        """The number of arguments."""
        kernel = self.kernel
        counted = (kernel.operands, kernel.counts, kernel.numbers, kernel.results)
        return sum(map(len, counted))

    def require_no_error(self) -> None:
        """Refuse arguments that are no numbers."""
        f = self.f
        error = f.emit("call ptr @PyErr_Occurred()")
        failed = f.emit(f"icmp ne ptr {error}, null")
        with f.given(failed):
            f.do("call void @PyErr_Clear()")
        self.require(f"xor i1 {failed}, true")

    def require(self, test: str) -> None:
        """Go on if a test holds, else give back what was made."""
        good, bad = self.f.fresh("good"), self.f.fresh("bad")
        self.f.branch(self.f.emit(test), good, bad)
        self.f.start(bad)
        self.drop()
        self.f.jump(self.other)
        self.f.start(good)

    def drop(self) -> None:
        """Give back the results that there are."""
        for slot in self.slots:
            self.f.do(f"call void @Py_DecRef(ptr {self.f.emit(f'load ptr, ptr {slot}')})")

    def store(self, name: str, type: str, value: Index) -> None:
        """Set a place of the environment."""
        place = f"getelementptr i64, ptr {self.env}, i64 {self.kernel.slots[name]}"
        self.f.do(f"store {type} {value}, ptr {self.f.emit(place)}")

    def check(self, x: str, a: Array, flags: int) -> tuple[str, str]:
        """Require an array of the right dtype; returns its sizes and their number."""
        f = self.f
        self.require(f"icmp eq ptr {read(f, x, TYPE, 'ptr')}, @ndarray")
        self.require(
            f"icmp eq ptr {read(f, x, DTYPE, 'ptr')}, {dtype_symbol(a.dtype or self.dtype)}"
        )
        found = f.emit(f"and i32 {read(f, x, FLAGS, 'i32')}, {flags}")
        self.require(f"icmp eq i32 {found}, {flags}")
        self.store(a.name, "ptr", read(f, x, DATA, "ptr"))
        rank = f.emit(f"sext i32 {read(f, x, RANK, 'i32')} to i64", "n")
        return read(f, x, SIZES, "ptr"), rank

    def take(self, a: Array, x: str) -> None:
        """Check an operand, and note its sizes.

        One without axes is left to NumPy, as numbers are: both have the same bits.
        """
        sizes, rank = self.check(x, a, ALIGNED if a.is_strided else NEEDED)
        self.given.append((a, x))
        self.require(f"icmp sgt i64 {rank}, 0")
        named = [s for s in a.sizes if s != "..."]
        before = plus(self.f, rank, -len(named))
        if "..." not in a.sizes:
            self.require(f"icmp eq i64 {before}, 0")
        elif self.like[0]:
            self.require_sizes((sizes, str(before)), self.like)
        else:
            self.require(f"icmp sge i64 {before}, 0")
            self.like = sizes, str(before)
            self.sizes["rows"] = self.product(sizes, before)
        for i, name in enumerate(named):
            n = self.size(sizes, plus(self.f, before, i))
            if name.isdecimal() or name in self.sizes:
                self.require(f"icmp eq i64 {n}, {self.sizes.get(name, name)}")
            else:
                self.sizes[name] = n
        for i, step in enumerate(a.steps):
            self.store(step, "i64", self.size(read(self.f, x, STEPS, "ptr"), i))

    def size(self, sizes: str, i: Index) -> str:
        """The size of an axis."""
        at = self.f.emit(f"getelementptr i64, ptr {sizes}, i64 {i}")
        return self.f.emit(f"load i64, ptr {at}", "n")

    def product(self, sizes: str, count: Index) -> str:
        """The product of the first sizes."""
        f, total = self.f, self.f.reserve("i64")
        f.do(f"store i64 1, ptr {total}")
        for i in f.loop(count):
            before = f.emit(f"load i64, ptr {total}", "n")
            f.do(f"store i64 {times(f, before, self.size(sizes, i))}, ptr {total}")
        return f.emit(f"load i64, ptr {total}", "n")

    def require_sizes(self, found: tuple[str, str], wanted: tuple[str, Index]) -> None:
        """Require that some sizes, and their number, are equal to others."""
        f, same = self.f, self.f.reserve("i1")
        (a, rank), (b, count) = found, wanted
        self.require(f"icmp eq i64 {rank}, {count}")
        f.do(f"store i1 true, ptr {same}")
        for i in f.loop(rank):
            test = f.emit(f"icmp eq i64 {self.size(a, i)}, {self.size(b, i)}")
            both = f.emit(f"and i1 {test}, {f.emit(f'load i1, ptr {same}')}")
            f.do(f"store i1 {both}, ptr {same}")
        self.require(f"load i1, ptr {same}")

    def give(self, a: Array, x: str) -> None:
        """Take the array of a result: that which is given, or a new one."""
        f, slot = self.f, self.f.reserve("ptr")
        named = [s for s in a.sizes if s != "..."]
        shape = f.reserve("i64", MOST)
        leads = "..." in a.sizes
        before: Index = self.like[1] if leads else 0
        for i in f.loop(before):
            self.put(shape, i, self.size(self.like[0], i))
        for i, name in enumerate(named):
            self.put(shape, plus(f, before, i), self.sizes.get(name, name))
        rank = plus(f, before, len(named))
        make, check, done = (f.fresh(n) for n in ("make", "check", "done"))
        f.branch(f.emit(f"icmp eq ptr {x}, @none"), make, check)
        f.start(check)
        self.require_sizes(self.check(x, a, NEEDED | WRITABLE), (shape, rank))
        for operand in self.given:
            self.require_apart(operand, (a, x))
        f.do(f"call void @Py_IncRef(ptr {x})")
        f.do(f"store ptr {x}, ptr {slot}")
        f.jump(done)
        f.start(make)
        f.do(f"store ptr {self.new(a, shape, rank)}, ptr {slot}")
        f.jump(done)
        f.start(done)
        self.slots.append(slot)

    def require_apart(self, operand: tuple[Array, str], result: tuple[Array, str]) -> None:
        """Require that a result has other memory than an operand, or all of it, entry for entry."""
        f, (a, x), (b, y) = self.f, operand, result
        of_a, of_b = (c.dtype or self.dtype for c in (a, b))
        fine = are_apart(f, (x, of_a.itemsize), (y, of_b.itemsize))
        if not a.is_strided and (a.sizes, of_a) == (b.sizes, of_b):
            same = f"icmp eq ptr {read(f, x, DATA, 'ptr')}, {read(f, y, DATA, 'ptr')}"
            fine = f.emit(f"or i1 {fine}, {f.emit(same)}")
        self.require(f"and i1 {fine}, true")

    def put(self, sizes: str, i: Index, n: Index) -> None:
        """Set the size of an axis."""
        at = self.f.emit(f"getelementptr i64, ptr {sizes}, i64 {i}")
        self.f.do(f"store i64 {n}, ptr {at}")

    def new(self, a: Array, shape: str, rank: Index) -> str:
        """A new array."""
        f, dtype = self.f, dtype_symbol(a.dtype or self.dtype)
        count = f.emit(f"trunc i64 {rank} to i32")
        f.do(f"call void @Py_IncRef(ptr {dtype})")
        x = f.emit(f"call ptr @PyArray_Empty(i32 {count}, ptr {shape}, ptr {dtype}, i32 0)")
        good, bad = f.fresh("good"), f.fresh("bad")
        f.branch(f.emit(f"icmp eq ptr {x}, null"), bad, good)
        f.start(bad)
        self.drop()
        f.do("ret ptr null")
        f.start(good)
        self.store(a.name, "ptr", read(f, x, DATA, "ptr"))
        return x

    def compute(self) -> None:
        """Run the passes: here, or if they are much work, in the pool of threads."""
        f, kernel = self.f, self.kernel
        counts: list[Index] = [self.sizes[name] for name in kernel.passes.split()]
        status = f.reserve("i32")
        if kernel.block > 1:
            counts[-1] = ceil_div(f, counts[-1], kernel.block)
        passes: Index = 1
        for count in counts:
            passes = times(f, passes, count)
        function = f"@{kernel.symbol(self.dtype)}"
        many, few, done = (f.fresh(n) for n in ("many", "few", "done"))
        f.branch(f.emit(f"icmp sge i64 {self.work()}, {WORTH}"), many, few)
        f.start(few)
        given = f"ptr {self.env}, i64 0, i64 {passes}, i64 0"
        f.do(f"store i32 {f.emit(f'call i32 {function}({given})')}, ptr {status}")
        f.jump(done)
        f.start(many)
        state = f.emit("call ptr @PyEval_SaveThread()")
        given = f"ptr {function}, ptr {self.env}, i64 {passes}, i64 {MOST}"
        f.do(f"store i32 {f.emit(f'call i32 @run_parts({given})')}, ptr {status}")
        f.do(f"call void @PyEval_RestoreThread(ptr {state})")
        f.jump(done)
        f.start(done)
        self.require(f"icmp eq i32 {f.emit(f'load i32, ptr {status}')}, 0")

    def work(self) -> Index:
        """The number of operations."""
        result: Index = self.kernel.cost
        for name in self.kernel.operands[0].sizes:
            size = name if name.isdecimal() else self.sizes["rows" if name == "..." else name]
            result = times(self.f, result, size)
        return result

    def leave(self, outs: list[str]) -> None:
        """Return a result, or a tuple of several; new ones without axes as numbers."""
        f = self.f
        for slot, out in zip(self.slots, outs, strict=True):
            with f.given(f.emit(f"icmp eq ptr {out}, @none")):
                made = f.emit(f"load ptr, ptr {slot}")
                f.do(f"store ptr {f.emit(f'call ptr @PyArray_Return(ptr {made})')}, ptr {slot}")
        self.return_slots()

    def return_slots(self) -> None:
        """Return what was made."""
        f = self.f
        made = [f.emit(f"load ptr, ptr {slot}") for slot in self.slots]
        if len(made) == 1:
            f.do(f"ret ptr {made[0]}")
            return
        result = f.emit(f"call ptr @PyTuple_New(i64 {len(made)})")
        for i, x in enumerate(made):
            f.do(f"call i32 @PyTuple_SetItem(ptr {result}, i64 {i}, ptr {x})")
        f.do(f"ret ptr {result}")
