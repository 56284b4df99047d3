"""Long modules are cut into several, whose functions call each other as those of one do."""

import ctypes

import pytest

from gradops.native.ir.modules import modules_in, modules_of
from gradops.native.ir.text import ADDING, CARRYING, METADATA, PARALLEL, PLAIN
from gradops.native.runtime.machine import Code, compiled_at_once

pytest.importorskip("llvmlite", reason="the extra `native` is not installed")

TEXT = (
    """
declare i64 @labs(i64)
declare i64 @unused(i64)
define internal i64 @own.twice(i64 %x) alwaysinline {
  %y = add i64 %x, %x
  ret i64 %y
}
define internal i64 @leaf(ptr noalias %x,
                          i64 %n) noinline {
  %y = load i64, ptr %x
  %z = call i64 @own.twice(i64 %y)
  %sum = add i64 %z, %n
  ret i64 %sum
}
define internal i64 @even(i64 %n) noinline {
  %end = icmp eq i64 %n, 0
  br i1 %end, label %yes, label %next
yes:
  ret i64 1
next:
  %m = sub i64 %n, 1
  %r = call i64 @odd(i64 %m)
  ret i64 %r
}
define internal i64 @odd(i64 %n) noinline {
  %end = icmp eq i64 %n, 0
  br i1 %end, label %no, label %next
no:
  ret i64 0
next:
  %m = sub i64 %n, 1
  %r = call i64 @even(i64 %m)
  ret i64 %r
}
define i64 @all(i64 %n) {
  %slot = alloca i64
  store i64 %n, ptr %slot
  %a = call i64 @labs(i64 -5)
  %b = call i64 @leaf(ptr %slot, i64 %a)
  %c = call i64 @even(i64 %n)
  %d = call i64 @own.twice(i64 %c)
  %sum = add i64 %b, %d
  ret i64 %sum
}
"""
    + METADATA
)
LOOP = """define void @loop{tag}(i64 %n) {{
start:
  br label %head
head:
  %i = phi i64 [ 0, %start ], [ %j, %head ]
  %j = add i64 %i, 1
  %more = icmp slt i64 %j, %n
  br i1 %more, label %head, label %end, !llvm.loop !{tag}
end:
  ret void
}}
"""


def run(modules):
    """The result of the text's function, and the code, which must live as long as it runs."""
    code = Code.of(compiled_at_once(modules))
    return ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(code.address("all"))(10), code


@pytest.mark.parametrize("length", [1, 10, 1000])
def test_modules_of_any_length_compute_the_same(length):
    modules = modules_in(TEXT, length)
    assert len(modules) == {1: 4, 10: 4, 1000: 1}[length]
    assert run(modules)[0] == 27


def test_each_function_is_defined_once_but_those_that_are_copied():
    texts = [module.text for module in modules_in(TEXT, 1)]
    for name in ("leaf", "even", "odd", "all"):
        assert sum(f"define i64 @{name}(" in text for text in texts) == 1
    calls = [text for text in texts if "call i64 @own.twice(" in text]
    assert len(calls) == sum("define internal i64 @own.twice(" in text for text in texts) == 2
    assert not any("unused" in text for text in texts)


def test_functions_get_the_passes_that_their_loops_ask_for():
    tags = {PLAIN: "few", CARRYING: "most", PARALLEL: "all", ADDING: "all"}
    text = "".join(LOOP.format(tag=tag) for tag in tags) + METADATA
    found = {module.passes: module.text for module in modules_in(text, 1000)}
    assert found.keys() == {"all", "most", "few"}
    costs = [module.cost for module in modules_in(text, 1000)]
    assert costs == sorted(costs, reverse=True)  # threads begin with what takes longest
    for tag, passes in tags.items():
        assert f"@loop{tag}(" in found[passes]
    compiled_at_once(modules_in(text, 1000))


def test_cold_functions_are_apart_and_compute_the_same():
    texts = [f"define {part}" for part in TEXT.removesuffix(METADATA).split("define ")[1:]]
    modules = modules_of(["declare i64 @labs(i64)"], texts, cold={"even", "odd", "all"})
    defined = {module.passes: set(module.defined) for module in modules}
    assert defined["least"] == {"even", "odd", "all", "own.twice"}
    assert defined.keys() == {"least", "few"}
    assert run(modules)[0] == 27


def test_a_cold_function_gets_the_passes_that_its_loops_ask_for():
    (module,) = modules_of([], [LOOP.format(tag=ADDING)], cold={f"loop{ADDING}"})
    assert module.passes == "all"
