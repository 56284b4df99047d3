"""Object files in memory: relocations, protection, and what is not known."""

import ctypes
import math
import os
import platform

import numpy as np
import pytest

from gradops.native.ir.scalars import NotNative
from gradops.native.objects import elf
from gradops.native.objects.elf import Unloadable
from gradops.native.objects.loading import Layout, Loaded
from gradops.native.runtime.machine import Code, LoadedByLLVM, compiled
from gradops.native.runtime.symbols import find

llvm = pytest.importorskip("llvmlite.binding")

TEXT = """
@state = global i64 5
@hidden = internal global [4 x i64] zeroinitializer, align 64
@table = private constant [4 x ptr] [ptr @one, ptr @two, ptr @one, ptr @two], align 64
@numbers = private constant [4 x i64] [i64 10, i64 20, i64 30, i64 40], align 64
@outside = external global i64
declare double @cos(double)
define internal i64 @one(i64 %x) noinline { %y = add i64 %x, 1  ret i64 %y }
define internal i64 @two(i64 %x) noinline { %y = add i64 %x, 2  ret i64 %y }
define i64 @step(i64 %i) {
  %p = getelementptr i64, ptr @numbers, i64 %i
  %a = load i64, ptr %p
  %b = load i64, ptr @outside
  %c = load i64, ptr @state
  %q = getelementptr i64, ptr @hidden, i64 %i
  %d = load i64, ptr %q
  %e = add i64 %a, %b
  %f = add i64 %e, %c
  %g = add i64 %f, %d
  store i64 %g, ptr @state
  store i64 %a, ptr %q
  %r = getelementptr ptr, ptr @table, i64 %i
  %h = load ptr, ptr %r
  %k = call i64 %h(i64 %g)
  ret i64 %k
}
define double @wave(double %x) {
  %y = call double @cos(double %x)
  %z = fadd double %y, 1.5
  ret double %z
}
define ptr @where() { ret ptr @outside }
"""
OUTSIDE = ctypes.c_int64(1000)
NAMES = {"outside": ctypes.addressof(OUTSIDE)}
is_elf = pytest.mark.skipif(platform.system() != "Linux", reason="objects have another format")


def function(code, name, *types):
    return ctypes.CFUNCTYPE(*types)(code.address(name))


def by_us(text, names):
    return Loaded([compiled(text).data], lambda name: names.get(name) or find(name))


def by_llvm(text, names):
    return LoadedByLLVM(compiled(text), lambda name: names.get(name) or find(name))


@pytest.mark.parametrize("load", [pytest.param(by_us, marks=is_elf), by_llvm, Code])
def test_code_reaches_its_parts_and_what_is_outside(load):
    code, other = load(TEXT, NAMES), load(TEXT, NAMES)
    step = function(code, "step", ctypes.c_int64, ctypes.c_int64)
    assert [step(0), step(1), step(0)] == [1016, 2037, 3056]
    assert function(other, "step", ctypes.c_int64, ctypes.c_int64)(0) == 1016
    assert ctypes.c_int64.from_address(code.address("state")).value == 3055
    wave = function(code, "wave", ctypes.c_double, ctypes.c_double)
    assert wave(0.5) == math.cos(0.5) + 1.5
    assert function(code, "where", ctypes.c_void_p)() == NAMES["outside"]
    with pytest.raises(KeyError):
        code.address("nothing")


@is_elf
def test_no_page_is_writable_and_executable():
    loaded = by_us(TEXT, NAMES)
    places = [loaded.address("step"), loaded.address("state")]
    found = []
    with open("/proc/self/maps") as lines:
        for line in lines:
            begin, end = (int(n, 16) for n in line.split()[0].split("-"))
            found += [line.split()[1] for at in places if begin <= at < end]
    assert found == ["r-xp", "rw-p"]


@is_elf
def test_variables_of_a_process_are_its_own_after_fork():
    code = Code(TEXT, NAMES)
    state = ctypes.c_int64.from_address(code.address("state"))
    child = os.fork()
    if not child:
        state.value = 7
        os._exit(0)
    os.waitpid(child, 0)
    assert state.value == 5


def test_names_that_are_nowhere_are_an_error():
    text = "declare void @is_nowhere()\ndefine void @f() { call void @is_nowhere()  ret void }"
    with pytest.raises(NotNative, match="is_nowhere"):
        Code(text)


@is_elf
@pytest.mark.parametrize("change", [
    lambda data: b"", lambda data: data[:40], lambda data: data[:-100], lambda data: data[:300],
    lambda data: b"\x7fELG" + data[4:], lambda data: data[:18] + b"\0\0" + data[20:],
    lambda data: b"\xcf\xfa\xed\xfe" + data[4:],
])  # fmt: skip
def test_what_is_not_an_object_of_this_machine_is_refused(change):
    with pytest.raises(Unloadable):
        Loaded([change(compiled(TEXT).data)], find)


@is_elf
def test_addresses_that_are_too_far_away_are_refused():
    text = "@far = external dso_local global i8\ndefine ptr @f() { ret ptr @far }"
    with pytest.raises(Unloadable, match="far away"):
        by_us(text, {"far": 1 << 62})


@is_elf
def test_symbols_in_no_section_are_refused():
    text = "@shared = common global i64 0\ndefine ptr @f() { ret ptr @shared }"
    with pytest.raises(Unloadable, match="shared"):
        by_us(text, {})
    assert function(Code(text), "f", ctypes.c_void_p)()


ARM = """
@state = global i64 5
@table = private constant [2 x ptr] [ptr @one, ptr @step], align 64
@w1 = internal global i8 1, align 64
@w2 = internal global i16 1, align 64
@w4 = internal global i32 1, align 64
@w8 = internal global i64 1, align 64
@w16 = internal global <4 x float> zeroinitializer, align 64
@outside = external global i64
declare i64 @labs(i64)
define internal i64 @one(i64 %x) noinline { %y = add i64 %x, 1  ret i64 %y }
define i64 @step(i64 %i) {
  %b = load i64, ptr @outside
  %c = load i64, ptr @state
  %a1 = load i8, ptr @w1
  %a2 = load i16, ptr @w2
  %a4 = load i32, ptr @w4
  %a8 = load i64, ptr @w8
  %b1 = zext i8 %a1 to i64
  %b2 = zext i16 %a2 to i64
  %b4 = zext i32 %a4 to i64
  %v = load <4 x float>, ptr @w16
  store <4 x float> %v, ptr @state
  %x = add i64 %b, %c
  %y = add i64 %x, %b1
  %y2 = add i64 %y, %b2
  %y4 = add i64 %y2, %b4
  %zz = add i64 %y4, %a8
  %p = getelementptr ptr, ptr @table, i64 %i
  %q = load ptr, ptr %p
  %w = call i64 %q(i64 %zz)
  %r = call i64 @labs(i64 %w)
  %e = call i64 @one(i64 %r)
  ret i64 %e
}
"""


def resolved(code, base):
    """The addresses to which branches, and pairs of an ADRP and what follows it, lead."""
    pages, result = {}, []
    for i, word in enumerate(code):
        given, field = word >> 5 & 31, word >> 10 & 0xFFF
        if word & 0x9F000000 == 0x90000000:  # ADRP
            number = (word >> 5 & 0x7FFFF) << 2 | word >> 29 & 3
            pages[word & 31] = ((base + 4 * i) >> 12) + number - (number >> 20 << 21)
        elif word & 0xFFC00000 == 0x91000000 and given in pages:  # ADD
            result.append((pages[given] << 12) + field)
        elif word & 0x3B000000 == 0x39000000 and given in pages:  # LDR, STR
            scale = 4 if word & 0x04800000 == 0x04800000 else word >> 30
            result.append((pages[given] << 12) + (field << scale))
        elif word & 0x7C000000 == 0x14000000:  # B, BL
            number = word & 0x3FFFFFF
            result.append(base + 4 * (i + number - (number >> 25 << 26)))
    return result


def test_relocations_of_arm_lead_to_the_symbols():
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    try:
        triple = llvm.Target.from_triple("aarch64-linux-gnu")
    except RuntimeError:
        pytest.skip("this LLVM knows no ARM")
    machine = triple.create_target_machine(opt=2, reloc="pic", codemodel="default")
    module = llvm.parse_assembly(ARM)
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    object = elf.read(machine.emit_object(module))
    layout, base = Layout(object), 0x7F00_1234_5000
    image = np.zeros(layout.size, np.uint8)
    outside = {"outside": 0x7FFF_0000_1230, "labs": 0x7EEE_0000_4560}
    layout.fill(image, base, outside.__getitem__)
    addresses = layout.defined(base)
    at = {s.number: layout.offsets[s.number] for s in object.sections}
    text = next(s for s in object.sections if s.flags & elf.EXECUTABLE)
    start = at[text.number]
    words = image[start : start + text.size].view("<u4").tolist()
    found = resolved(words, base + start)
    numbers = {name: i for i, name in enumerate(object.names)}

    def slot(name):
        return base + layout.slots + 8 * numbers[name]

    stub = base + layout.stubs + 16 * numbers["labs"]
    widths = [addresses[f"w{n}"] for n in (1, 2, 4, 8, 16)]
    for target in [slot("outside"), slot("state"), stub, addresses["one"], *widths]:
        assert target in found
    for name, address in outside.items():
        i = layout.slots + 8 * numbers[name]
        assert image[i : i + 8].view("<i8")[0] == address
    i = stub - base
    assert image[i : i + 8].view("<u4").tolist() == [0x58000050, 0xD61F0200]
    assert image[i + 8 : i + 16].view("<i8")[0] == outside["labs"]
    table = [s for s in object.sections if len(s.relocations) and s is not text]
    assert [image[at[s.number] :].view("<i8")[:2].tolist() for s in table] == [
        [addresses["one"], addresses["step"]]
    ]
