"""Places: where in the user's program something was made."""

import functools
import os
import re
import sysconfig
import threading

import numpy as np
import pytest

import gradops
from gradops.core.source_location import OURS, describe, here, short


def test_equal_pieces_of_code_in_two_files_are_told_apart():
    found = []
    for filename in ("a.py", "b.py"):
        scope = {"here": here}
        exec(compile("place = here()", filename, "exec"), scope)
        found.append(scope["place"])
    assert [short(place) for place in found] == ["a.py:1", "b.py:1"]
    assert [describe(place) for place in found] == ["a.py:1", "b.py:1"]


@pytest.mark.parametrize(("path", "is_library"), [
    (functools.__file__, True), (os.path.join(sysconfig.get_path("purelib"), "m.py"), False),
    (np.__file__, True), (gradops.__file__, True), (__file__, False), ("<string>", False),
    ("<frozen runpy>", True),
    (os.path.join(sysconfig.get_path("stdlib"), "site-packages", "m.py"), False),
])  # fmt: skip
def test_files_of_the_library_of_numpy_and_of_python_are_not_the_users(path, is_library):
    assert OURS[path] is is_library


def test_an_error_below_pythons_library_notes_the_line_that_calls_it():
    shout = functools.singledispatch(gradops.OPS["matmul"])
    with pytest.raises(gradops.ShapeError) as found:
        shout(np.ones((2, 3)), np.ones((2, 3)))
    (note,) = found.value.__notes__
    assert re.search(
        r"at test_source_location\.py:\d+, .*shout\(.*, in functools\.singledispatch", note
    )
    with pytest.raises(gradops.ShapeError) as found:
        gradops.OPS["matmul"](np.ones((2, 3)), np.ones((2, 3)))
    assert not hasattr(found.value, "__notes__")


def test_an_error_in_a_thread_that_no_program_runs_has_no_note():
    found = []

    def fail():
        try:
            gradops.OPS["matmul"](np.ones((2, 3)), np.ones((2, 3)))
        except gradops.ShapeError as error:
            found.append(error)

    thread = threading.Thread(target=fail)
    thread.start()
    thread.join()
    assert not hasattr(found[0], "__notes__")
