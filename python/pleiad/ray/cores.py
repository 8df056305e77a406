"""Cores of this machine for one process each: by locks on files, which end with the process that has
them, however it ends."""

from __future__ import annotations

import errno
import fcntl
import os
import pathlib
import stat
import tempfile

_CPUS = pathlib.Path("/sys/devices/system/cpu")


def parse_cpu_list(text: str) -> list[int]:
    """ "0,4-6" -> [0, 4, 5, 6], as the kernel writes lists of processors."""
    found: list[int] = []
    for part in text.strip().split(","):
        first, _, last = part.partition("-")
        found.extend(range(int(first), int(last or first) + 1))
    return found


def physical_cores(allowed: set[int], topology: pathlib.Path = _CPUS) -> list[tuple[int, ...]]:
    """The processors of each core, of those that are allowed. Where the system says nothing of cores, each
    processor is one."""
    cores: dict[tuple[int, ...], None] = {}
    for cpu in sorted(allowed):
        try:
            siblings = parse_cpu_list((topology / f"cpu{cpu}/topology/thread_siblings_list").read_text())
        except (OSError, ValueError):
            siblings = [cpu]
        cores[tuple(sibling for sibling in siblings if sibling in allowed)] = None
    return list(cores)


def _own_folder() -> pathlib.Path:
    """The name can be guessed: another user may have made it, to hold all cores."""
    folder = pathlib.Path(tempfile.gettempdir()) / f"pleiad-cores-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    about = folder.lstat()
    if not stat.S_ISDIR(about.st_mode) or about.st_uid != os.getuid() or about.st_mode & 0o077:
        mode = stat.filemode(about.st_mode)
        raise PermissionError(
            f"{folder}: expected a folder of user {os.getuid()} alone (drwx------), found {mode} of user {about.st_uid}"
        )
    return folder


class Claim:
    """Cores that nobody else who asks here has, until close() or the end of the process.

    Attributes:
        cpus: their processors; empty where there were not enough.
    """

    def __init__(self, n_cores: int, folder: pathlib.Path | None = None, cores: list[tuple[int, ...]] | None = None):
        """Takes cores that are free.

        Args:
            n_cores: how many.
            folder: of the locks, common to all who share the machine; None: one of this user's in the
                system's folder for temporary files.
            cores: to choose from; None: those of this machine that this thread may run on.

        Raises:
            OSError: the folder cannot be used, or is not this user's alone.
        """
        folder = folder or _own_folder()
        self._locks: list[int] = []
        self.cpus: set[int] = set()
        n_taken = 0
        for core in cores if cores is not None else physical_cores(os.sched_getaffinity(0)):
            if n_taken == n_cores:
                break
            try:
                free = self._lock(folder / f"core-{core[0]}")
            except OSError:
                self.close()
                raise
            if free:
                self.cpus.update(core)
                n_taken += 1
        if n_taken < n_cores:
            self.close()

    def _lock(self, file: pathlib.Path) -> bool:
        lock = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            os.close(lock)
            if error.errno == errno.EWOULDBLOCK:
                return False
            raise
        self._locks.append(lock)
        return True

    def close(self) -> None:
        """Gives them back. May be called again."""
        for lock in self._locks:
            os.close(lock)
        self._locks.clear()
        self.cpus = set()
