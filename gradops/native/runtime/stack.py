"""The stack that is left to a thread, which may have been made with a small one.

Note [Stacks]. Machine code whose frames are large asks how much is left of the stack before it
begins; where that is too little, NumPy computes. The system is asked once for each thread.
"""

import ctypes
import sys
from functools import cache

from .machine import Code

SMALLEST = 12_288  # bytes that every thread has left: Python makes none with less than 32 KB
RESERVE = 65_536  # bytes for what machine code calls, as BLAS or Python
ATTRIBUTES = 256  # bytes; more than those of a thread take

LINUX = f"""
declare i32 @pthread_getattr_np(ptr, ptr)
declare i32 @pthread_attr_getstack(ptr, ptr, ptr)
declare i32 @pthread_attr_getguardsize(ptr, ptr)
declare i32 @pthread_attr_destroy(ptr)

define internal i64 @lowest() noinline {{
  %attributes = alloca [{ATTRIBUTES} x i8], align 16
  %start = alloca i64
  %size = alloca i64
  %guard = alloca i64
  %self = call ptr @pthread_self()
  %failed = call i32 @pthread_getattr_np(ptr %self, ptr %attributes)
  %good = icmp eq i32 %failed, 0
  br i1 %good, label %read, label %unknown
read:
  call i32 @pthread_attr_getstack(ptr %attributes, ptr %start, ptr %size)
  call i32 @pthread_attr_getguardsize(ptr %attributes, ptr %guard)
  call i32 @pthread_attr_destroy(ptr %attributes)
  %a = load i64, ptr %start
  %b = load i64, ptr %guard
  %sum = add i64 %a, %b
  ret i64 %sum
unknown:
  ret i64 1
}}
"""
DARWIN = """
declare i64 @pthread_get_stackaddr_np(ptr)
declare i64 @pthread_get_stacksize_np(ptr)

define internal i64 @lowest() noinline {
  %self = call ptr @pthread_self()
  %top = call i64 @pthread_get_stackaddr_np(ptr %self)
  %size = call i64 @pthread_get_stacksize_np(ptr %self)
  %low = sub i64 %top, %size
  ret i64 %low
}
"""
IS_DARWIN = sys.platform == "darwin"
TEXT = f"""
@key = global i64 0
declare ptr @pthread_self()
declare ptr @pthread_getspecific({"i64" if IS_DARWIN else "i32"})
declare i32 @pthread_setspecific({"i64" if IS_DARWIN else "i32"}, ptr)
{DARWIN if IS_DARWIN else LINUX}
define i64 @stack_left() {{
  %here = alloca i64
  %wide = load i64, ptr @key
  %k = {"add i64 %wide, 0" if IS_DARWIN else "trunc i64 %wide to i32"}
  %known = call ptr @pthread_getspecific({"i64" if IS_DARWIN else "i32"} %k)
  %is_new = icmp eq ptr %known, null
  br i1 %is_new, label %ask, label %count
ask:
  %found = call i64 @lowest()
  %kept = inttoptr i64 %found to ptr
  call i32 @pthread_setspecific({"i64" if IS_DARWIN else "i32"} %k, ptr %kept)
  br label %count
count:
  %low = phi ptr [ %known, %0 ], [ %kept, %ask ]
  %bottom = ptrtoint ptr %low to i64
  %now = ptrtoint ptr %here to i64
  %left = sub i64 %now, %bottom
  ret i64 %left
}}
"""


@cache
def stack() -> Code:
    """The code that knows stacks, which stays until the process ends."""
    code = Code.for_key(("stack", TEXT), lambda: TEXT)
    key = ctypes.c_uint64()
    if ctypes.CDLL(None).pthread_key_create(ctypes.byref(key), None) != 0:
        raise MemoryError("there are too many keys of threads")
    ctypes.c_uint64.from_address(code.address("key")).value = key.value
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(code))
    return code


def stack_left() -> int:
    """The bytes that are left of the stack of this thread."""
    return ctypes.CFUNCTYPE(ctypes.c_int64)(stack().address("stack_left"))()
