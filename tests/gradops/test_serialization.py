"""Archives of arrays: whatever is wrong with one is one kind of error."""

import io
import json
import time
import zipfile

import numpy as np
import pytest

from gradops.serialization import Format, read_archive, write_archive

THING = Format("a thing", 1, "thing", RuntimeError)
HEAD = json.dumps({"format": "a thing", "version": 1})


def packed(**members):
    """An archive with a sound frame, whatever its members hold."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("manifest.json", HEAD)
        for name, content in members.items():
            archive.writestr(f"{name}.npy", content)
    return file


def npy(shape, content=b"\0" * 8, descr="'<f8'", fortran="False"):
    """An array's file with a header as it is given."""
    header = f"{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape}}}"
    header = header + " " * (-(len(header) + 11) % 64) + "\n"
    return b"\x93NUMPY\1\0" + len(header).to_bytes(2, "little") + header.encode() + content


def read(file):
    """The array 0 of an archive."""
    return read_archive(file, THING, lambda archive, manifest: archive.array(0))


def test_an_array_comes_back():
    assert read(packed(**{"0": npy("(1,)")})).tolist() == [0.0]


@pytest.mark.parametrize("header", [
    {"shape": "(True,)"}, {"shape": "(-1,)"}, {"shape": "(2,)"}, {"shape": "(0.5,)"},
    {"shape": "1"}, {"shape": "(1,) * 2"}, {"shape": f"({10**30},)"},
    {"shape": f"(0, {10**30})", "content": b""}, {"shape": f"({'1,' * 100})"},
    {"shape": "(1,)", "fortran": "1"}, {"shape": "(1,)", "fortran": "None"},
    {"shape": "(1,)", "descr": "'O'"}, {"shape": "(1,)", "descr": "'U2'"},
    {"shape": "(1,)", "descr": "[('a', '<f8')]"}, {"shape": "(1,)", "descr": "'nope'"},
    {"shape": "(1,)", "descr": "None"}, {"shape": "(1,)", "descr": "1"},
    {"shape": "(1,)", "descr": "'<f8', '': 1"}, {"shape": "(" * 300},
])  # fmt: skip
def test_a_header_that_describes_no_array_is_refused_in_one_way(header):
    with pytest.raises(RuntimeError, match="is not a thing"):
        read(packed(**{"0": npy(**header)}))


def test_members_that_overlap_are_refused():
    """A file may say of each byte that it belongs to many members, and claim more than it has."""
    file = packed(**{"0": npy("(1,)"), "1": npy("(100000,)", bytes(800_000))})
    data = bytearray(file.getvalue())
    at = data.rindex(b"PK\1\2")  # what the file says of its last member
    size = (20_000_000).to_bytes(4, "little")
    data[at + 20 : at + 28] = size + size
    with pytest.raises(RuntimeError, match="is not a thing"):
        read(io.BytesIO(data))


def test_a_manifest_of_many_brackets_is_not_read():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("manifest.json", "[" * 1000)
    with pytest.raises(RuntimeError, match="too many brackets"):
        read_archive(file, THING._replace(limit=10_000), lambda archive, manifest: None)


def test_equal_content_gives_equal_bytes_at_any_time(monkeypatch):
    found = []
    for year in (1999, 2030):
        now = time.struct_time((year, 2, 3, 4, 5, 6, 0, 34, 0))
        monkeypatch.setattr(time, "localtime", lambda *_, now=now: now)
        file = io.BytesIO()
        write_archive(file, THING, {"a": 1}, [np.arange(3), np.ones((2, 2))])
        found.append(file.getvalue())
    assert found[0] == found[1]
