"""A pool of threads for loops of machine code.

Note [Pool]. `run_parts` cuts the passes of a loop into ranges, which the caller and threads take
one after another: so nobody waits for a thread that wakes late, or that another program keeps from
running. Threads are the system's, made when they are first needed. They know nothing of Python and
block all signals; they wait on a condition variable, after some turns of a loop in which the next
job may come sooner. One job runs at a time: a caller that comes while another one's runs, or in a
part of one, does all the work himself. A job is published and read under the lock, so that a thread
that wakes late finds the present one. After a fork a child process has none, and makes its own.
"""

import ctypes
import os
import platform
import sys
from functools import cache

from gradops.kernels.threads import LIMIT, cores

from . import symbols
from .blas import thread_control
from .machine import Code
from .stack import stack
from .symbols import POOL, STACK

TURNS = 2_000  # of a thread that waits for a job, about 50 us
PATIENCE = 20_000  # turns of the caller that waits for the others
YIELD = 4  # turns after which a thread that waits lets others run, which may be those it waits for
FINE = 4  # ranges for each thread
CONDITION = 128  # bytes; more than a lock or a condition variable takes
BLOCK = 1 if sys.platform == "darwin" else 0  # SIG_BLOCK
IS_X86 = platform.machine().lower() in ("x86_64", "amd64")
PAUSE = "call void @llvm.x86.sse2.pause()" if IS_X86 else "fence acquire"

CONTROLLED = """
declare i32 @blas_get_num_threads()
declare void @blas_set_num_threads(i32)
"""
UNKNOWN = """
define internal i32 @blas_get_num_threads() { ret i32 1 }
define internal void @blas_set_num_threads(i32 %n) { ret void }
"""

TEXT = f"""
@lock = global [{CONDITION} x i8] zeroinitializer, align 64
@wake = global [{CONDITION} x i8] zeroinitializer, align 64
@ended = global [{CONDITION} x i8] zeroinitializer, align 64
@busy = global i32 0
@started = global i64 0
@epoch = global i64 0, align 64
@left = global i64 0, align 64
@status = global i32 0
@job = global ptr null
@env = global ptr null
@count = global i64 0
@parts = global i64 0
@threads = global i64 0
@ticket = global i64 0, align 64
@usual = global i64 1
@limit = external global i64
@quiet = global [{CONDITION} x i8] zeroinitializer, align 64
@users = global i32 0
@blas_threads = global i32 1
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_mutex_lock(ptr)
declare i32 @pthread_mutex_unlock(ptr)
declare i32 @pthread_cond_wait(ptr, ptr)
declare i32 @pthread_cond_broadcast(ptr)
declare i32 @pthread_sigmask(i32, ptr, ptr)
declare i32 @sigfillset(ptr)
declare i32 @sched_yield()
declare i64 @llvm.umin.i64(i64, i64)
{"declare void @llvm.x86.sse2.pause()" if IS_X86 else ""}

; The next range that nobody has taken of a job, by its epoch; -1 if there is none.
define internal i64 @take(i64 %epoch, i64 %parts) {{
start:
  br label %look
look:
  %ticket = load atomic i64, ptr @ticket monotonic, align 8
  %of = lshr i64 %ticket, 16
  %current = icmp eq i64 %of, %epoch
  %k = and i64 %ticket, 65535
  %left = icmp ult i64 %k, %parts
  %some = and i1 %current, %left
  br i1 %some, label %try, label %none
try:
  %next = add i64 %ticket, 1
  %both = cmpxchg ptr @ticket, i64 %ticket, i64 %next acq_rel monotonic
  %mine = extractvalue {{ i64, i1 }} %both, 1
  br i1 %mine, label %taken, label %look
taken:
  ret i64 %k
none:
  ret i64 -1
}}

; Ranges of a job, by one thread, until none is left; true if the last to end was among them.
define internal i1 @run_ranges(i64 %epoch, i64 %parts, ptr %f, ptr %env, i64 %count, i64 %thread) {{
start:
  br label %next
next:
  %ended = phi i1 [ false, %start ], [ %last, %run ]
  %k = call i64 @take(i64 %epoch, i64 %parts)
  %some = icmp sge i64 %k, 0
  br i1 %some, label %run, label %done
run:
  %a = mul i64 %count, %k
  %begin = udiv i64 %a, %parts
  %b = add i64 %a, %count
  %end = udiv i64 %b, %parts
  %failed = call i32 %f(ptr %env, i64 %begin, i64 %end, i64 %thread)
  %old = atomicrmw or ptr @status, i32 %failed monotonic
  %before = atomicrmw sub ptr @left, i64 1 acq_rel
  %last = icmp eq i64 %before, 1
  br label %next
done:
  ret i1 %ended
}}

define i32 @run_parts(ptr %f, ptr %env, i64 %count, i64 %most) {{
  %set = load atomic i64, ptr @limit monotonic, align 8
  %usual = load i64, ptr @usual
  %unset = icmp eq i64 %set, 0
  %wanted = select i1 %unset, i64 %usual, i64 %set
  %m = call i64 @llvm.umin.i64(i64 %wanted, i64 %most)
  %n = call i64 @llvm.umin.i64(i64 %m, i64 %count)
  %several = icmp ugt i64 %n, 1
  br i1 %several, label %try, label %alone
try:
  %found = cmpxchg ptr @busy, i32 0, i32 1 acquire monotonic
  %free = extractvalue {{ i32, i1 }} %found, 1
  br i1 %free, label %grow, label %alone
alone:
  %all = call i32 %f(ptr %env, i64 0, i64 %count, i64 0)
  ret i32 %all
grow:
  %old = load i64, ptr @started
  %next = add i64 %old, 1
  %missing = icmp ult i64 %next, %n
  br i1 %missing, label %create, label %publish
create:
  ; What a thread has seen is part of its argument: the next job may come before it runs.
  %now = load i64, ptr @epoch
  %high = shl i64 %now, 16
  %both = or i64 %high, %next
  %argument = inttoptr i64 %both to ptr
  %id = alloca i64
  %failed = call i32 @pthread_create(ptr %id, ptr null, ptr @work, ptr %argument)
  %made = icmp eq i32 %failed, 0
  br i1 %made, label %created, label %publish
created:
  store i64 %next, ptr @started
  br label %grow
publish:
  %workers = load i64, ptr @started
  %threads = add i64 %workers, 1
  %p = call i64 @llvm.umin.i64(i64 %threads, i64 %n)
  %fine = mul i64 %p, {FINE}
  %ranges = call i64 @llvm.umin.i64(i64 %fine, i64 %count)
  call i32 @pthread_mutex_lock(ptr @lock)
  store ptr %f, ptr @job
  store ptr %env, ptr @env
  store i64 %count, ptr @count
  store i64 %p, ptr @threads
  store i64 %ranges, ptr @parts
  store i32 0, ptr @status
  store i64 %ranges, ptr @left
  %before = load i64, ptr @epoch
  %after = add i64 %before, 1
  %first = shl i64 %after, 16
  store atomic i64 %first, ptr @ticket release, align 8
  store atomic i64 %after, ptr @epoch release, align 8
  call i32 @pthread_cond_broadcast(ptr @wake)
  call i32 @pthread_mutex_unlock(ptr @lock)
  %all_done = call i1 @run_ranges(i64 %after, i64 %ranges, ptr %f, ptr %env, i64 %count, i64 0)
  br label %spin
spin:
  %turn = phi i64 [ 0, %publish ], [ %turned, %next_turn ]
  %rest = load atomic i64, ptr @left acquire, align 8
  %done = icmp eq i64 %rest, 0
  br i1 %done, label %finish, label %again
again:
  {PAUSE}
  %turned = add i64 %turn, 1
  %some = and i64 %turned, {YIELD - 1}
  %yields = icmp eq i64 %some, 0
  br i1 %yields, label %let, label %next_turn
let:
  call i32 @sched_yield()
  br label %next_turn
next_turn:
  %patient = icmp ult i64 %turned, {PATIENCE}
  br i1 %patient, label %spin, label %sleep
sleep:
  call i32 @pthread_mutex_lock(ptr @lock)
  br label %check
check:
  %more = load atomic i64, ptr @left acquire, align 8
  %over = icmp eq i64 %more, 0
  br i1 %over, label %woken, label %doze
doze:
  call i32 @pthread_cond_wait(ptr @ended, ptr @lock)
  br label %check
woken:
  call i32 @pthread_mutex_unlock(ptr @lock)
  br label %finish
finish:
  %result = load atomic i32, ptr @status monotonic, align 4
  store atomic i32 0, ptr @busy release, align 4
  ret i32 %result
}}

define internal ptr @work(ptr %argument) {{
start:
  %signals = alloca [{CONDITION} x i8], align 16
  call i32 @sigfillset(ptr %signals)
  call i32 @pthread_sigmask(i32 {BLOCK}, ptr %signals, ptr null)
  %both = ptrtoint ptr %argument to i64
  %k = and i64 %both, 65535
  %birth = lshr i64 %both, 16
  br label %wait
wait:
  %seen = phi i64 [ %birth, %start ], [ %now, %read ], [ %now, %take_part ], [ %now, %last ]
  br label %spin
spin:
  %turn = phi i64 [ 0, %wait ], [ %turned, %next_turn ]
  %sight = load atomic i64, ptr @epoch monotonic, align 8
  %news = icmp ne i64 %sight, %seen
  br i1 %news, label %look, label %again
again:
  {PAUSE}
  %turned = add i64 %turn, 1
  %some = and i64 %turned, {YIELD - 1}
  %yields = icmp eq i64 %some, 0
  br i1 %yields, label %let, label %next_turn
let:
  call i32 @sched_yield()
  br label %next_turn
next_turn:
  %patient = icmp ult i64 %turned, {TURNS}
  br i1 %patient, label %spin, label %look
look:
  call i32 @pthread_mutex_lock(ptr @lock)
  br label %check
check:
  %now = load i64, ptr @epoch
  %same = icmp eq i64 %now, %seen
  br i1 %same, label %doze, label %read
doze:
  call i32 @pthread_cond_wait(ptr @wake, ptr @lock)
  br label %check
read:
  %f = load ptr, ptr @job
  %env = load ptr, ptr @env
  %count = load i64, ptr @count
  %parts = load i64, ptr @parts
  %threads = load i64, ptr @threads
  call i32 @pthread_mutex_unlock(ptr @lock)
  %mine = icmp ult i64 %k, %threads
  br i1 %mine, label %take_part, label %wait
take_part:
  %ends = call i1 @run_ranges(i64 %now, i64 %parts, ptr %f, ptr %env, i64 %count, i64 %k)
  br i1 %ends, label %last, label %wait
last:
  call i32 @pthread_mutex_lock(ptr @lock)
  call i32 @pthread_cond_broadcast(ptr @ended)
  call i32 @pthread_mutex_unlock(ptr @lock)
  br label %wait
}}

; BLAS has threads of its own, which would take cores from ours: it gets one while code runs.
define void @blas_enter() {{
  call i32 @pthread_mutex_lock(ptr @quiet)
  %n = load i32, ptr @users
  %m = add i32 %n, 1
  store i32 %m, ptr @users
  %first = icmp eq i32 %n, 0
  br i1 %first, label %limit, label %done
limit:
  %threads = call i32 @blas_get_num_threads()
  store i32 %threads, ptr @blas_threads
  call void @blas_set_num_threads(i32 1)
  br label %done
done:
  call i32 @pthread_mutex_unlock(ptr @quiet)
  ret void
}}

define void @blas_leave() {{
  call i32 @pthread_mutex_lock(ptr @quiet)
  %n = load i32, ptr @users
  %m = sub i32 %n, 1
  store i32 %m, ptr @users
  %last = icmp eq i32 %m, 0
  br i1 %last, label %restore, label %done
restore:
  %threads = load i32, ptr @blas_threads
  call void @blas_set_num_threads(i32 %threads)
  br label %done
done:
  call i32 @pthread_mutex_unlock(ptr @quiet)
  ret void
}}
"""
FIRST = {"lock": "mutex", "quiet": "mutex", "wake": "cond", "ended": "cond"}  # what each is


@cache
def pool() -> Code:
    """The code of the pool, which stays until the process ends: threads wait in it."""
    controls = thread_control()
    text = TEXT + (CONTROLLED if controls else UNKNOWN)
    names = {"limit": LIMIT.ctypes.data, **controls}
    code = Code.for_key(("pool", text), lambda: text, names)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(code))
    ctypes.c_int64.from_address(code.address("usual")).value = cores()
    reset(code)
    os.register_at_fork(after_in_child=lambda: reset(code))
    return code


def find(name: str) -> int:
    """The address of a function of the pool, of what knows stacks, or of others."""
    if name in POOL:
        return pool().address(name)
    return stack().address(name) if name in STACK else symbols.find(name)


def reset(code: Code) -> None:
    """Forget threads and jobs, of which a child process has none."""
    system = ctypes.CDLL(None)
    for name, start in FIRST.items():
        ctypes.memset(code.address(name), 0, CONDITION)
        getattr(system, f"pthread_{start}_init")(ctypes.c_void_p(code.address(name)), None)
    for name in ("busy", "users"):
        ctypes.c_int32.from_address(code.address(name)).value = 0
    ctypes.c_int64.from_address(code.address("started")).value = 0
