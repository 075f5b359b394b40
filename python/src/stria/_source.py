"""Where a file's bytes come from: a path, an address or a file object."""

import os
import threading
from typing import IO, Protocol, cast

from .errors import CorruptError, NotReadableError


class Source(Protocol):
    """Bytes at places. `read` may be called by several threads at once."""

    size: int

    def read(self, offset: int, length: int) -> bytes: ...

    def close(self) -> None: ...


class FileSource:
    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = os.path.abspath(path)
        try:
            self._file = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
            self.size = os.fstat(self._file).st_size
        except OSError as error:
            raise NotReadableError(f"{os.fspath(path)} cannot be read: {error.strerror}") from error

    def read(self, offset: int, length: int) -> bytes:
        try:
            return os.pread(self._file, length, offset)
        except OSError as error:
            raise NotReadableError(f"bytes {offset} to {offset + length} cannot be read: {error.strerror}") from error

    def close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
        self._file = -1

    def __reduce__(self) -> tuple[type["FileSource"], tuple[str]]:
        """A copy opens the file again, also in another process."""
        return FileSource, (self._path,)

    def __del__(self) -> None:
        if getattr(self, "_file", -1) >= 0:
            self.close()


class ObjectSource:
    """An open file, in binary, that can seek: also those of fsspec."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._lock = threading.Lock()
        self.size = file.seek(0, os.SEEK_END)

    def read(self, offset: int, length: int) -> bytes:
        with self._lock:
            self._file.seek(offset)
            return self._file.read(length)

    def close(self) -> None:
        pass

    def __reduce__(self) -> tuple[type["ObjectSource"], tuple[IO[bytes]]]:
        """A copy reads a copy of the file object, if that can be copied."""
        return ObjectSource, (self._file,)


def source_of(file: "str | os.PathLike[str] | IO[bytes] | Source") -> Source:
    if isinstance(file, str) and file.startswith(("http://", "https://")):
        # Imported here, because it takes half of the time that `import stria` takes.
        from ._http import HttpSource

        return HttpSource(file)
    if isinstance(file, (str, os.PathLike)):
        return FileSource(file)
    # fsspec's files have a size, too, but they read from where they stand.
    return ObjectSource(cast(IO[bytes], file)) if hasattr(file, "seek") else cast(Source, file)


def read_exactly(source: Source, offset: int, length: int) -> bytes:
    """@raise CorruptError if the file is shorter, before memory is allocated"""
    if offset + length > source.size:
        raise CorruptError(f"bytes {offset} to {offset + length} are needed, but the file ends at {source.size}")
    octets = source.read(offset, length)
    if len(octets) != length:
        raise NotReadableError(f"the file gave {len(octets)} of {length} bytes at {offset}: has it changed?")
    return octets
