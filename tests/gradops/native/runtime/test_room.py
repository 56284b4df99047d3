"""The compiler has a stack and memory, or raises an error; it never ends the process."""

import gc
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

pytest.importorskip("llvmlite", reason="the extra `native` is not installed")

from gradops.native.ir.modules import Module
from gradops.native.runtime import machine, room
from gradops.native.runtime.stack import stack_left

GOOD = "define i64 @f() {\n  ret i64 7\n}"
WRONG = {
    "is not text of LLVM": "nonsense",
    "has a value that is not there": "define i64 @f() {\n  ret i64 %x\n}",
    "reads before it writes": (
        "define i64 @f() {\nstart:\n  %a = add i64 %b, 1\n  %b = add i64 1, 1\n  ret i64 %a\n}"
    ),
}  # fmt: skip


@pytest.mark.parametrize("text", WRONG.values(), ids=WRONG)
def test_what_llvm_refuses_raises(text):
    with pytest.raises(machine.Refused, match="LLVM refuses"):
        machine.compiled(text)
    assert machine.compiled(GOOD).data


@pytest.fixture
def in_small_thread():
    """A function that runs another one in a thread with a stack of 64 KB."""

    def run(f):
        found = []
        usual = threading.stack_size(65_536)
        try:
            thread = threading.Thread(target=lambda: found.append(f()))
            thread.start()
        finally:
            threading.stack_size(usual)
        thread.join()
        return found[0]

    return run


def test_stacks_are_known(in_small_thread):
    assert 8192 < in_small_thread(stack_left) < 65_536 < stack_left()


def test_the_compiler_has_a_large_stack_in_threads_that_have_a_small_one(in_small_thread):
    assert in_small_thread(lambda: room.with_room(lambda _: stack_left(), "")) > room.STACK // 2
    assert in_small_thread(lambda: machine.compiled(GOOD).data)
    assert threading.stack_size() == 0


def test_errors_of_the_compiler_pass_through_threads(in_small_thread):
    def refused():
        with pytest.raises(machine.Refused, match="LLVM refuses"):
            machine.compiled("nonsense")
        return True

    assert in_small_thread(refused)


@pytest.mark.parametrize("text", WRONG.values(), ids=WRONG)
def test_what_is_refused_leaves_no_cycles(text):
    """Or the collector may free a context of LLVM before a module in it, and end the process."""
    gc.collect()
    gc.disable()
    try:
        with pytest.raises(machine.Refused):
            machine.compiled_at_once([Module(GOOD), Module(text), Module(GOOD.replace("@f", "@g"))])
        assert not [x for x in gc.get_objects() if type(x).__name__ == "ModuleRef"]
    finally:
        gc.enable()


LIMITED = """
import resource
from gradops.native.runtime import machine
machine.compiled("define i64 @f() {\\n  ret i64 7\\n}")
size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + (1 << 24), resource.RLIM_INFINITY))
try:
    machine.compiled("define i64 @f() {\\n  ret i64 8\\n}")
except MemoryError as error:
    print(error)
"""


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="Linux says what it has")
def test_too_little_memory_is_an_error():
    done = subprocess.run(
        [sys.executable, "-c", LIMITED], capture_output=True, text=True, check=True
    )
    assert done.stdout == "there are no 32 MB for the compiler\n"


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("is_main", [True, False])
def test_calls_at_once_give_their_results_in_order(threads, is_main):
    def results():
        return room.at_once([partial(pow, 2, k) for k in range(20)], threads)

    with ThreadPoolExecutor(1) as pool:
        found = results() if is_main else pool.submit(results).result()
    assert found == [2**k for k in range(20)]


@pytest.mark.parametrize("error", [IndexError, KeyboardInterrupt, ValueError])
@pytest.mark.parametrize("threads", [1, 3])
def test_a_call_that_fails_raises_its_error(error, threads):
    def fail():
        raise error("it failed")

    with pytest.raises(error, match="it failed"):
        room.at_once([fail, *[list] * 5], threads)


AT_ONCE = """
import threading
from gradops.native.runtime import machine

FUNCTION = "define double @f{n}(double %x) {{\\n  %y = fmul double %x, {n}.0\\n  ret double %y\\n}}"

def work(k):
    for turn in range(20):
        machine.compiled("\\n".join(FUNCTION.format(n=1000 * k + 50 * turn + i) for i in range(40)))

threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
[t.start() for t in threads]
[t.join() for t in threads]
"""


def test_threads_compile_at_once():
    """In one context of LLVM they would damage each other's memory, and end the process."""
    subprocess.run([sys.executable, "-c", AT_ONCE], capture_output=True, check=True)
