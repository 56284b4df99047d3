"""The text of the function that Python calls. See Note [Entry] in `entry.py`."""

import sys

from gradops.native.ir.headers import DATA, DTYPE, FLAGS, NEEDED, RANK, SIZES, TYPE
from gradops.native.runtime.interrupts import CONTEXT

ITEMS = 24  # offset of the items of a tuple, and of their address in a list
OTHERWISE, TABLE = ITEMS + 8 * 3, ITEMS + 8 * 4  # of what a builtin function owns
RUN, SPARE, INPUTS, RESULTS, ARENA, STACK, FLAG, FORM = range(0, 64, 8)
"""Offsets in the table: the address of `@run`, memory that the last call left, numbers of arrays,
bytes of the arena and of stack, flags, and the form of the results. Types of arrays follow."""
HAS_CONTEXT, LETS_GO, CALLS_PYTHON, CALLS_BLAS = 1, 2, 4, 8  # flags
NUMBER = 16  # bytes of the largest number
HUGE_PAGE = 1 << 21  # bytes
MADV_HUGEPAGE = 14  # of Linux; without it the first use of each 4 KiB is a fault of its own


def read(name: str, type: str, pointer: str, offset: int) -> str:
    """The lines that read a field."""
    at = f"  %{name}.at = getelementptr i8, ptr %{pointer}, i64 {offset}\n"
    return f"{at}  %{name} = load {type}, ptr %{name}.at"


def unless(test: str, otherwise: str, good: str) -> str:
    """The lines that go on at a label if a test holds, else at another."""
    return (
        f"  %{good}.test = {test}\n  br i1 %{good}.test, label %{good}, label %{otherwise}\n{good}:"
    )


MEMORY = f"""
define private ptr @memory(i64 %bytes) {{
  %is.huge = icmp uge i64 %bytes, {HUGE_PAGE if sys.platform == "linux" else -1}
  br i1 %is.huge, label %huge, label %usual
usual:
  %memory = call ptr @aligned_alloc(i64 64, i64 %bytes)
  ret ptr %memory
huge:
  %pages = call ptr @aligned_alloc(i64 {HUGE_PAGE}, i64 %bytes)
{unless("icmp ne ptr %pages, null", "none", "made")}
  %whole = and i64 %bytes, {-HUGE_PAGE}
  call i32 @madvise(ptr %pages, i64 %whole, i32 {MADV_HUGEPAGE})
  br label %none
none:
  ret ptr %pages
}}
"""

TEXT = f"""
define ptr @entry(ptr %self, ptr %args, i64 %count) {{
{read("owned", "ptr", "self", TABLE)}
{read("table", "ptr", "owned", DATA)}
{read("inputs", "i64", "table", INPUTS)}
{unless("icmp eq i64 %count, %inputs", "no", "counted")}
{read("stack", "i64", "table", STACK)}
  %small = icmp eq i64 %stack, 0
  br i1 %small, label %roomy, label %measure
measure:
  %left = call i64 @stack_left()
{unless("icmp sgt i64 %left, %stack", "no", "roomy")}
{read("results", "i64", "table", RESULTS)}
{read("flags", "i64", "table", FLAG)}
  %both = add i64 %inputs, %results
  %arrays = alloca ptr, i64 %both
  %objects = alloca ptr, i64 %results
  %numbers = alloca [{NUMBER} x i8], i64 %results, align {NUMBER}
  %context = alloca {CONTEXT}
  %types = getelementptr i8, ptr %table, i64 {FORM + 8}
  br label %input
input:
  %i = phi i64 [ 0, %roomy ], [ %i.next, %taken ]
  %type = phi ptr [ %types, %roomy ], [ %type.next, %taken ]
  %i.more = icmp ult i64 %i, %inputs
  br i1 %i.more, label %check, label %result
check:
  %x.at = getelementptr ptr, ptr %args, i64 %i
  %x = load ptr, ptr %x.at
{read("x.type", "ptr", "x", TYPE)}
{unless("icmp eq ptr %x.type, @ndarray", "no", "array")}
{read("x.dtype", "ptr", "x", DTYPE)}
  %dtype = load ptr, ptr %type
{unless("icmp eq ptr %x.dtype, %dtype", "no", "typed")}
{read("x.flags", "i32", "x", FLAGS)}
  %x.needed = and i32 %x.flags, {NEEDED}
{unless(f"icmp eq i32 %x.needed, {NEEDED}", "no", "ordered")}
{read("x.rank", "i32", "x", RANK)}
{read("rank", "i64", "type", 8)}
  %x.rank64 = zext i32 %x.rank to i64
{unless("icmp eq i64 %x.rank64, %rank", "no", "ranked")}
{read("x.sizes", "ptr", "x", SIZES)}
  %sizes = getelementptr i8, ptr %type, i64 16
  br label %size
size:
  %k = phi i64 [ 0, %ranked ], [ %k.next, %sized ]
  %k.more = icmp ult i64 %k, %rank
  br i1 %k.more, label %compare, label %taken
compare:
  %n.at = getelementptr i64, ptr %sizes, i64 %k
  %n = load i64, ptr %n.at
  %x.n.at = getelementptr i64, ptr %x.sizes, i64 %k
  %x.n = load i64, ptr %x.n.at
{unless("icmp eq i64 %n, %x.n", "no", "sized")}
  %k.next = add i64 %k, 1
  br label %size
taken:
{read("data", "ptr", "x", DATA)}
  %array.at = getelementptr ptr, ptr %arrays, i64 %i
  store ptr %data, ptr %array.at
  %i.next = add i64 %i, 1
  %type.next = getelementptr i64, ptr %sizes, i64 %rank
  br label %input
result:
  %r = phi i64 [ 0, %input ], [ %r.next, %placed ]
  %r.type = phi ptr [ %type, %input ], [ %r.type.next, %placed ]
  %r.more = icmp ult i64 %r, %results
  br i1 %r.more, label %make, label %made
make:
  %r.dtype = load ptr, ptr %r.type
{read("r.rank", "i64", "r.type", 8)}
  %r.sizes = getelementptr i8, ptr %r.type, i64 16
  %object.at = getelementptr ptr, ptr %objects, i64 %r
  %r.place = add i64 %r, %inputs
  %result.at = getelementptr ptr, ptr %arrays, i64 %r.place
  %r.next = add i64 %r, 1
  %r.type.next = getelementptr i64, ptr %r.sizes, i64 %r.rank
  %is.number = icmp eq i64 %r.rank, 0
  br i1 %is.number, label %number, label %empty
number:
  %number.at = getelementptr [{NUMBER} x i8], ptr %numbers, i64 %r
  br label %placed
empty:
  call void @Py_IncRef(ptr %r.dtype)
  %r.rank32 = trunc i64 %r.rank to i32
  %object = call ptr @PyArray_Empty(i32 %r.rank32, ptr %r.sizes, ptr %r.dtype, i32 0)
{unless("icmp ne ptr %object, null", "raised.making", "exists")}
{read("object.data", "ptr", "object", DATA)}
  br label %placed
placed:
  %held = phi ptr [ null, %number ], [ %object, %exists ]
  %place = phi ptr [ %number.at, %number ], [ %object.data, %exists ]
  store ptr %held, ptr %object.at
  store ptr %place, ptr %result.at
  br label %result
made:
{read("bytes", "i64", "table", ARENA)}
  %spare = getelementptr i8, ptr %table, i64 {SPARE}
  %needs.none = icmp eq i64 %bytes, 0
  br i1 %needs.none, label %begin, label %take
take:
  %kept = atomicrmw xchg ptr %spare, ptr null acq_rel
  %is.kept = icmp ne ptr %kept, null
  br i1 %is.kept, label %begin, label %allocate
allocate:
  %fresh = call ptr @memory(i64 %bytes)
{unless("icmp ne ptr %fresh, null", "no_memory", "begin")}
  %arena = phi ptr [ null, %made ], [ %kept, %take ], [ %fresh, %allocate ]
  %has.context = and i64 %flags, {HAS_CONTEXT}
  %no.context = icmp eq i64 %has.context, 0
  %calls.python = and i64 %flags, {CALLS_PYTHON}
  %keeps.wide = lshr i64 %calls.python, {CALLS_PYTHON.bit_length() - 1}
  %keeps = trunc i64 %keeps.wide to i32
  store {CONTEXT} {{ ptr null, i64 0, i32 0, i32 0 }}, ptr %context
  %keeps.at = getelementptr {CONTEXT}, ptr %context, i64 0, i32 3
  store i32 %keeps, ptr %keeps.at
  %given = select i1 %no.context, ptr null, ptr %context
  %lets.go = and i64 %flags, {LETS_GO}
  %holds.on = icmp eq i64 %lets.go, 0
  br i1 %holds.on, label %held.on, label %let.go
let.go:
  %state = call ptr @PyEval_SaveThread()
  store ptr %state, ptr %context
  br label %held.on
held.on:
  %calls.blas = and i64 %flags, {CALLS_BLAS}
  %no.blas = icmp eq i64 %calls.blas, 0
  br i1 %no.blas, label %run, label %enter
enter:
  call void @blas_enter()
  br label %run
run:
  %f = load ptr, ptr %table
  %status = call i32 %f(ptr %arena, ptr %given, ptr %arrays)
  br i1 %no.blas, label %left.blas, label %leave
leave:
  call void @blas_leave()
  br label %left.blas
left.blas:
  %saved = load ptr, ptr %context
  %is.held = icmp eq ptr %saved, null
  br i1 %is.held, label %back, label %restore
restore:
  call void @PyEval_RestoreThread(ptr %saved)
  br label %back
back:
  br i1 %needs.none, label %ran, label %give
give:
  %old = atomicrmw xchg ptr %spare, ptr %arena acq_rel
  call void @free(ptr %old)
  br label %ran
ran:
  %good = icmp eq i32 %status, 0
  br i1 %good, label %wrap, label %gave.up
gave.up:
  %may.retry = icmp eq i32 %status, 1
  br label %drop
wrap:
  %w = phi i64 [ 0, %ran ], [ %w.next, %wrapped ]
  %w.type = phi ptr [ %type, %ran ], [ %w.type.next, %wrapped ]
  %w.more = icmp ult i64 %w, %results
  br i1 %w.more, label %look, label %output
look:
{read("w.rank", "i64", "w.type", 8)}
  %w.sizes = getelementptr i8, ptr %w.type, i64 16
  %w.type.next = getelementptr i64, ptr %w.sizes, i64 %w.rank
  %w.next = add i64 %w, 1
  %is.array = icmp ne i64 %w.rank, 0
  br i1 %is.array, label %wrapped, label %scalar
scalar:
  %w.dtype = load ptr, ptr %w.type
  %w.number = getelementptr [{NUMBER} x i8], ptr %numbers, i64 %w
  %w.object = call ptr @PyArray_Scalar(ptr %w.number, ptr %w.dtype, ptr null)
  %w.at = getelementptr ptr, ptr %objects, i64 %w
  store ptr %w.object, ptr %w.at
{unless("icmp ne ptr %w.object, null", "raised", "wrapped")}
  br label %wrap
output:
{read("form", "i64", "table", FORM)}
  switch i64 %form, label %tuple [ i64 0, label %single i64 1, label %list ]
single:
  %only = load ptr, ptr %objects
  ret ptr %only
list:
  %new.list = call ptr @PyList_New(i64 %results)
{unless("icmp ne ptr %new.list, null", "raised", "listed")}
{read("list.items", "ptr", "new.list", ITEMS)}
  br label %fill
tuple:
  %new.tuple = call ptr @PyTuple_New(i64 %results)
{unless("icmp ne ptr %new.tuple, null", "raised", "tupled")}
  %tuple.items = getelementptr i8, ptr %new.tuple, i64 {ITEMS}
  br label %fill
fill:
  %whole = phi ptr [ %new.list, %listed ], [ %new.tuple, %tupled ]
  %items = phi ptr [ %list.items, %listed ], [ %tuple.items, %tupled ]
  %size.of.all = mul i64 %results, 8
  call void @llvm.memcpy.p0.p0.i64(ptr %items, ptr %objects, i64 %size.of.all, i1 false)
  ret ptr %whole
no_memory:
  %out = call ptr @PyErr_NoMemory()
  br label %drop
raised.making:
  br label %drop
raised:
  br label %drop
drop:
  %retry = phi i1 [ %may.retry, %gave.up ], [ false, %no_memory ], [ false, %raised.making ],
                  [ false, %raised ]
  %owed = phi i64 [ %results, %gave.up ], [ %results, %no_memory ], [ %r, %raised.making ],
                  [ %results, %raised ]
  br label %next
next:
  %d = phi i64 [ 0, %drop ], [ %d.next, %one ]
  %d.more = icmp ult i64 %d, %owed
  br i1 %d.more, label %one, label %dropped
one:
  %d.at = getelementptr ptr, ptr %objects, i64 %d
  %d.object = load ptr, ptr %d.at
  call void @Py_DecRef(ptr %d.object)
  %d.next = add i64 %d, 1
  br label %next
dropped:
  br i1 %retry, label %no, label %error
error:
  ret ptr null
no:
  call void @Py_IncRef(ptr @not_implemented)
  ret ptr @not_implemented
}}
define ptr @call(ptr %self, ptr %args, i64 %count, ptr %names) {{
  %plain = icmp eq ptr %names, null
  br i1 %plain, label %try, label %other
try:
  %result = call ptr @entry(ptr %self, ptr %args, i64 %count) noinline
  %refused = icmp eq ptr %result, @not_implemented
  br i1 %refused, label %drop, label %done
done:
  ret ptr %result
drop:
  call void @Py_DecRef(ptr %result)
  br label %other
other:
{read("otherwise", "ptr", "self", OTHERWISE)}
  %found = call ptr @PyObject_Vectorcall(ptr %otherwise, ptr %args, i64 %count, ptr %names)
  ret ptr %found
}}
define void @free_spare(ptr %table) {{
  %spare = getelementptr i8, ptr %table, i64 {SPARE}
  %old = atomicrmw xchg ptr %spare, ptr null acq_rel
  call void @free(ptr %old)
  ret void
}}
"""
"""The functions; `call` is for names, too: what the code cannot run, a function of Python does."""
