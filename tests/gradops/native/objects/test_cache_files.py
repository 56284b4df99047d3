"""Files of the cache: who may have written them, and what happens where none can be."""

import os
import stat
import subprocess
import sys
import time

import pytest

from gradops.core.environment import read_amount, read_folder
from gradops.native.objects import cache_files
from gradops.native.objects.cache_files import clear_cache, directory_name, read, write

pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have owners elsewhere")


@pytest.fixture(autouse=True)
def directory(tmp_path, monkeypatch):
    path = tmp_path / "parent" / "cache"
    monkeypatch.setenv("STATICGRAD_CACHE", str(path))
    return path


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_what_was_written_is_read_and_belongs_to_the_user_alone(directory):
    assert read("a") is None
    write("a", b"content")
    write("b", b"")
    assert (read("a"), read("b"), read("c")) == (b"content", b"", None)
    assert mode_of(directory) == 0o700
    assert [mode_of(path) for path in directory.iterdir()] == [0o600, 0o600]


def test_the_last_content_that_was_written_counts():
    write("a", b"first")
    write("a", b"second")
    assert read("a") == b"second"


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777])
def test_a_directory_that_others_may_write_to_is_not_used(directory, mode):
    write("a", b"content")
    directory.chmod(mode)
    assert read("a") is None
    write("b", b"more")
    directory.chmod(0o700)
    assert (read("a"), read("b")) == (b"content", None)


@pytest.mark.parametrize("mode", [0o660, 0o602, 0o666])
def test_a_file_that_others_may_write_to_is_not_read(directory, mode):
    write("a", b"content")
    (directory / "sg-a").chmod(mode)
    assert read("a") is None


def test_what_another_user_owns_is_not_used(monkeypatch):
    write("a", b"content")
    own = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: own + 1)
    assert read("a") is None


def test_links_and_pipes_are_not_read(directory):
    write("a", b"content")
    (directory / "sg-b").symlink_to(directory / "sg-a")
    os.mkfifo(directory / "sg-c", 0o600)
    (directory / "sg-d").mkdir()
    assert [read(name) for name in "abcd"] == [b"content", None, None, None]


@pytest.mark.parametrize("change", [
    lambda data: data[:-1], lambda data: data + b"x", lambda data: b"", lambda data: data[:10],
    lambda data: data[:-3] + b"xyz", lambda data: b"x" + data[1:],
    lambda data: data.replace(b"cache 1", b"cache 2"),
])  # fmt: skip
def test_damaged_files_are_not_read(directory, change):
    write("a", b"content")
    file = directory / "sg-a"
    file.write_bytes(change(file.read_bytes()))
    assert read("a") is None
    write("a", b"content")
    assert read("a") == b"content"


@pytest.mark.parametrize("value", ["", "0", "off", "OFF", "none"])
def test_the_variable_switches_it_off(monkeypatch, value):
    monkeypatch.setenv("STATICGRAD_CACHE", value)
    write("a", b"content")
    assert directory_name() is None
    assert read("a") is None


def test_the_directory_is_where_the_system_keeps_caches(monkeypatch, tmp_path):
    monkeypatch.delenv("STATICGRAD_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert directory_name() == tmp_path / "staticgrad"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert directory_name() == tmp_path / "home" / ".cache" / "staticgrad"


def test_a_path_that_is_not_a_directory_is_not_used(directory):
    directory.parent.mkdir(parents=True)
    directory.write_text("a file")
    write("a", b"content")
    assert read("a") is None
    assert directory.read_text() == "a file"


def test_failures_of_the_disk_are_silent(directory, monkeypatch):
    write("a", b"content")

    def fail(*_, **__):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "rename", fail)
        write("a", b"more")
    assert read("a") == b"content"
    assert [path.name for path in directory.iterdir()] == ["sg-a"]
    with monkeypatch.context() as patch:
        patch.setattr(os, "open", fail)
        write("a", b"more")
        assert read("a") is None


def test_the_files_that_were_used_last_stay_within_the_bound(directory, monkeypatch):
    monkeypatch.setenv("STATICGRAD_CACHE_MB", "0.01")
    for i in range(12):
        write(str(i), bytes(1000))
        os.utime(directory / f"sg-{i}", (0, 1000 + i))
        if i == 5:
            os.utime(directory / "sg-0", (0, 2000))
    assert sum(path.stat().st_size for path in directory.iterdir()) <= 10_000
    kept = {path.name for path in directory.iterdir()}
    assert {"sg-0", "sg-11"} <= kept
    assert "sg-1" not in kept


def test_reading_a_file_counts_as_using_it(directory):
    write("a", b"content")
    os.utime(directory / "sg-a", (0, 1000))
    assert read("a") == b"content"
    assert time.time() - (directory / "sg-a").stat().st_mtime < 100


def test_a_bound_that_is_no_number_warns_and_is_the_usual_one(monkeypatch):
    monkeypatch.setenv("STATICGRAD_CACHE_MB", "much")
    read_amount.cache_clear()
    with pytest.warns(UserWarning, match="STATICGRAD_CACHE_MB is a number .*, not 'much': 256 is"):
        assert cache_files.megabytes() == 256


def test_a_relative_path_warns_and_nothing_is_kept(monkeypatch):
    monkeypatch.setenv("STATICGRAD_CACHE", "of")
    read_folder.cache_clear()
    with pytest.warns(UserWarning, match="STATICGRAD_CACHE is 'off' or an absolute path, not 'of'"):
        assert directory_name() is None


def test_what_killed_processes_left_is_dropped(directory):
    write("a", b"content")
    (directory / ".sg-old").write_text("unfinished")
    os.utime(directory / ".sg-old", (0, 1000))
    (directory / ".sg-new").write_text("unfinished")
    (directory / "another's").write_text("left alone")
    write("b", b"content")
    names = {path.name for path in directory.iterdir()}
    assert names == {"sg-a", "sg-b", ".sg-new", "another's"}
    clear_cache()
    assert [path.name for path in directory.iterdir()] == ["another's"]


WRITERS = """
import sys
from gradops.native.objects.cache_files import read, write
letter = sys.argv[1].encode()
for i in range(200):
    write("a", letter * 100_000)
    found = read("a")
    assert found is not None and len(found) == 100_000 and len(set(found)) == 1
"""


def test_processes_that_write_one_file_see_whole_ones():
    processes = [subprocess.Popen([sys.executable, "-c", WRITERS, letter]) for letter in "xyz"]
    time.sleep(0.3)
    processes[2].kill()
    assert [p.wait() for p in processes[:2]] == [0, 0]
    processes[2].wait()
    found = read("a")
    assert found is not None
    assert len(found) == 100_000
