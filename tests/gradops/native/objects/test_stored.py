"""Compiled modules on disk: when they are used, and when they are not."""

import ctypes
import subprocess
import sys
import time

import pytest

from gradops.native.objects import fingerprint, stored
from gradops.native.runtime import machine
from gradops.native.runtime.machine import Code
from gradops.native.runtime.pool import pool
from gradops.native.runtime.stack import stack

pytest.importorskip("llvmlite")

SEVEN = "define i32 @f() { ret i32 7 }"


@pytest.fixture(autouse=True)
def directory(tmp_path, monkeypatch):
    monkeypatch.setenv("STATICGRAD_CACHE", str(tmp_path))
    return tmp_path


@pytest.fixture
def texts(monkeypatch):
    """The texts that are compiled."""
    result = []
    compiled = machine.compiled
    monkeypatch.setattr(machine, "compiled", lambda text: result.append(text) or compiled(text))
    return result


def value_of(code):
    return ctypes.CFUNCTYPE(ctypes.c_int32)(code.address("f"))()


def seven(key=("seven", 1)):
    return value_of(Code.for_key(key, lambda: SEVEN))


def test_a_module_is_compiled_once(texts):
    assert [seven(), seven(), seven()] == [7, 7, 7]
    assert texts == [SEVEN]


def test_another_key_is_another_module(texts):
    assert seven() == 7
    assert value_of(Code.for_key(("eight", 1), lambda: SEVEN.replace("7", "8"))) == 8
    assert seven(("seven", 2)) == 7
    assert len(texts) == 3


def test_files_that_were_mixed_up_are_not_read(texts, directory):
    assert seven() == 7
    assert value_of(Code.for_key(("eight", 1), lambda: SEVEN.replace("7", "8"))) == 8
    first, second = directory.rglob("*.o")
    first.write_bytes(second.read_bytes())
    assert seven() == 7
    assert value_of(Code.for_key(("eight", 1), lambda: SEVEN.replace("7", "8"))) == 8
    assert len(texts) == 3


@pytest.mark.parametrize("what", ["compiler", "processor", "sources", "numpy", "python", "options"])
def test_what_code_depends_on_is_part_of_the_key(texts, monkeypatch, what):
    assert seven() == 7
    match what:
        case "numpy":
            monkeypatch.setattr(fingerprint.np, "__version__", "9.9")
        case "python":
            monkeypatch.setattr(fingerprint.sys, "version", "9.9")
        case "options":
            monkeypatch.setitem(machine.OPTIONS, "opt", 1)
        case _:
            monkeypatch.setattr(fingerprint, what, lambda *_: ("another",))
    fingerprint.environment.cache_clear()
    try:
        assert [seven(), seven()] == [7, 7]
        assert len(texts) == 2
    finally:
        monkeypatch.undo()
        fingerprint.environment.cache_clear()


def test_a_source_that_changes_changes_the_stamp(tmp_path):
    file = tmp_path / "module.py"
    stamps = {fingerprint.stamp(str(file))}
    for text in ("x = 1", "x = 12"):
        file.write_text(text)
        stamps.add(fingerprint.stamp(str(file)))
    assert len(stamps) == 3
    found = fingerprint.sources("gradops")
    assert any("machine.py" in text for text in found)
    assert any("exponential.py" in text for text in found)


def test_sources_that_changed_while_the_process_runs_are_equal_to_no_others(monkeypatch):
    sources = fingerprint.sources.__wrapped__
    assert sources("gradops") == sources("gradops")
    monkeypatch.setattr(fingerprint, "start_of_process", lambda: 0.0)
    assert sources("gradops") != sources("gradops")
    monkeypatch.undo()
    assert 0 <= time.time() - fingerprint.start_of_process() < 1e5
    monkeypatch.setattr(fingerprint, "modules_in", unlisted)
    assert sources("gradops") != sources("gradops")


def unlisted(folders):
    raise NotADirectoryError(folders)


def test_a_damaged_object_is_compiled_anew(texts, directory):
    assert seven() == 7
    for file in directory.iterdir():
        file.write_bytes(file.read_bytes()[:-20])
    assert [seven(), seven()] == [7, 7]
    assert len(texts) == 2


def test_an_object_keeps_its_notes():
    made = stored.ObjectCode(b"\n\0 data \n", ("a", "b"), ("constant:1", "kernel:2:1"))
    assert stored.unpacked(made.packed()) == made
    assert stored.unpacked(stored.ObjectCode(b"").packed()) == stored.ObjectCode(b"")


AGAIN = """
import sys
from gradops.native.runtime.machine import Code
def text():
    raise SystemExit("the text is written")
code = Code.for_key(("seven", 1), text)
from gradops.native.runtime.pool import pool
from gradops.native.runtime.stack import stack_left
assert pool().address("run_parts") and stack_left()
assert "llvmlite" not in sys.modules
"""


def test_another_process_needs_no_compiler():
    assert seven() == 7
    pool.__wrapped__()
    stack.__wrapped__()
    subprocess.run([sys.executable, "-c", AGAIN], check=True)
