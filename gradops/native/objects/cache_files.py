"""Files that only save time: in a directory of the user's own, whole or not there at all.

Note [Cache files]. Code is loaded from these files, so nobody else may have written them: the
directory and its files belong to the user, and others cannot write to them; what is otherwise is
not used. A file is written under another name, then renamed: processes see the whole of it or
nothing. A checksum finds what a full disk or a crash has left. All failures to read or write are
silent: what is cached is computed again.
"""

import contextlib
import hashlib
import os
import secrets
import stat
import time
from collections.abc import Iterator
from pathlib import Path

from ...core.environment import amount, folder

VARIABLE, OF_SIZE = "STATICGRAD_CACHE", "STATICGRAD_CACHE_MB"
MAGIC = b"staticgrad cache 1\n"
MEGABYTES = 256  # of all files
KEPT = 0.75  # of that, when files are dropped
FORGOTTEN = 3600  # seconds after which a file that was not finished is dropped
RARELY = 3600  # seconds after which a file that is read gets the time of now
PREFIX, UNFINISHED = "sg-", ".sg-"  # names of files; others' files are left alone


def directory_name() -> Path | None:
    """The directory of cache files, which need not exist; None if there is to be none.

    It is that of the variable STATICGRAD_CACHE, of which `off` says that there is none; or
    `staticgrad` in that of XDG_CACHE_HOME, or in `~/.cache`.
    """
    given = folder(VARIABLE)
    if not isinstance(given, bool):
        return given
    if not given:
        return None
    cache = os.environ.get("XDG_CACHE_HOME", "")
    try:
        return (Path(cache) if os.path.isabs(cache) else Path.home() / ".cache") / "staticgrad"
    except RuntimeError:  # there is no home
        return None


@contextlib.contextmanager
def open_directory() -> Iterator[int | None]:
    """The directory as a file descriptor; None if there is none that is safe."""
    handle = None
    path = directory_name() if hasattr(os, "geteuid") else None
    if path is not None:
        with contextlib.suppress(OSError):
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
        with contextlib.suppress(OSError):
            handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield handle if handle is not None and is_own(os.fstat(handle)) else None
    finally:
        if handle is not None:
            os.close(handle)


def is_own(status: os.stat_result) -> bool:
    """True for what belongs to the user, and what others cannot write to."""
    return status.st_uid == os.geteuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def read(name: str) -> bytes | None:
    """The content of a file; None if there is none that is safe and whole."""
    with open_directory() as directory:
        if directory is None:
            return None
        try:
            flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
            with os.fdopen(os.open(PREFIX + name, flags, dir_fd=directory), "rb") as file:
                return content(file.read()) if is_usable(file.fileno()) else None
        except OSError:
            return None


def is_usable(file: int) -> bool:
    """True for a file of the user's; it is noted that it has been used."""
    status = os.fstat(file)
    if time.time() - status.st_mtime > RARELY:
        with contextlib.suppress(OSError):
            os.utime(file)
    return stat.S_ISREG(status.st_mode) and is_own(status)


def content(data: bytes) -> bytes | None:
    """The content of a file after its checksum, if that is right."""
    start = len(MAGIC) + hashlib.sha256().digest_size
    rest = data[start:]
    is_whole = data[:start] == MAGIC + hashlib.sha256(rest).digest()
    return rest if is_whole else None


def write(name: str, data: bytes) -> None:
    """Write a file, if that is possible, and drop the oldest ones beyond the bound of all."""
    with open_directory() as directory:
        if directory is None:
            return
        unfinished = f"{UNFINISHED}{secrets.token_hex(8)}"
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
            with os.fdopen(os.open(unfinished, flags, 0o600, dir_fd=directory), "wb") as stream:
                stream.write(MAGIC + hashlib.sha256(data).digest() + data)
            os.rename(unfinished, PREFIX + name, src_dir_fd=directory, dst_dir_fd=directory)
            drop_oldest(directory)
        except OSError:
            drop(directory, unfinished)


def drop_oldest(directory: int) -> None:
    """Keep the files within the bound: those used last stay."""
    listed = sorted(files_in(directory), key=lambda pair: -pair[1].st_mtime)
    bound = megabytes() * 1e6
    total = sum(status.st_size for _, status in listed)
    room, used = (bound * KEPT if total > bound else bound), 0
    for name, status in listed:
        used += status.st_size
        is_old = time.time() - status.st_mtime > FORGOTTEN
        if used > room or (name.startswith(UNFINISHED) and is_old):
            drop(directory, name)


def megabytes() -> float:
    """The bound of all files: that of the variable STATICGRAD_CACHE_MB, or 256."""
    return amount(OF_SIZE, MEGABYTES)


def files_in(directory: int) -> list[tuple[str, os.stat_result]]:
    """The names of our files, and their sizes and times."""
    result = []
    with os.scandir(directory) as entries:
        for entry in entries:
            if entry.name.startswith((PREFIX, UNFINISHED)):
                with contextlib.suppress(OSError):
                    result.append((entry.name, entry.stat(follow_symlinks=False)))
    return result


def drop(directory: int, name: str) -> None:
    """Remove a file, if it is there."""
    with contextlib.suppress(OSError):
        os.unlink(name, dir_fd=directory)


def remove(name: str) -> None:
    """Remove a file, if it is there."""
    with open_directory() as directory:
        if directory is not None:
            drop(directory, PREFIX + name)


def clear_cache() -> None:
    """Remove the files of machine code, and of measurements, that are kept between processes.

    They lie in `~/.cache/staticgrad`, or where XDG_CACHE_HOME or STATICGRAD_CACHE say. What this
    process has loaded stays.
    """
    with open_directory() as directory:
        if directory is not None:
            for name, _ in files_in(directory):
                drop(directory, name)
