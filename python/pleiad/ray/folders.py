"""The folder that the socket of a replica lies in: for this user alone, and gone when the replica is."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pathlib
import shutil
import stat
import tempfile

from ..errors import Error

_PREFIX = "pleiad-replica-"
_LOCK = "lock"
_MOST_PATH_BYTES = 107  # that the system takes of a socket


class SocketFolder:
    """A folder of this user's alone, in the system's folder for temporary files, until close().

    A process that is killed leaves its folder: the next one that makes one removes it.

    Attributes:
        path: of the folder.
        socket: where in it the socket is to be.
    """

    def __init__(self) -> None:
        """Raises: Error where the path is longer than a socket's may be."""
        remove_left()
        self.path = pathlib.Path(tempfile.mkdtemp(prefix=_PREFIX))
        self.socket = self.path / "http"
        # It has its name when it is locked: no other takes it for one that was left.
        new = self.path / "new"
        self._lock = os.open(new, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        new.rename(self.path / _LOCK)
        n_bytes = len(os.fsencode(self.socket))
        if n_bytes > _MOST_PATH_BYTES:
            self.close()
            raise Error(
                f"{self.socket}: expected a path of {_MOST_PATH_BYTES} bytes at most for a socket, found {n_bytes}: "
                "set TMPDIR to a shorter one"
            )

    def close(self) -> None:
        """Removes it. May be called again."""
        if self._lock < 0:
            return
        shutil.rmtree(self.path, ignore_errors=True)
        os.close(self._lock)
        self._lock = -1


def remove_left() -> None:
    """Removes the folders of this user's processes that were killed."""
    for folder in pathlib.Path(tempfile.gettempdir()).glob(_PREFIX + "*"):
        with contextlib.suppress(OSError):  # of another user's, or gone meanwhile
            about = folder.lstat()
            if not stat.S_ISDIR(about.st_mode) or about.st_uid != os.getuid():
                continue
            lock = os.open(folder / _LOCK, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(lock)


__all__ = ["SocketFolder", "remove_left"]
