"""Which levels a file keeps, and where they are written: src/core/stream/levels/leveled-writer.ts."""

from typing import NamedTuple

from ._choose import Encoded
from ._header import Three
from ._index import Ramp
from ._writer import Writer, bytes_of_levels

#: The finest levels are left out until the others take no more of the file.
_PERCENT = 15
#: Runs of levels are held up to this size; each chunk counts for its payload and for this many bytes besides.
_MOST_HELD, _HELD_PER_CHUNK = 2**26, 128

Header = tuple[int, str, Three, Three]


class Run(NamedTuple):
    """Some whole layers of chunks of a level. They are written together."""

    level: int
    first: int
    chunks: "list[Encoded | Ramp]"

    @property
    def nbytes(self) -> int:
        return sum(_HELD_PER_CHUNK + (len(one.payload) if isinstance(one, Encoded) else 0) for one in self.chunks)


class LeveledWriter:
    """Holds runs of levels until the volume ends or they exceed a size, and then decides which levels the file keeps."""

    def __init__(self, writer: Writer, level_count: int, width: int) -> None:
        self._writer, self._level_count, self._width = writer, level_count, width
        #: How many of the finest levels the file does not get.
        self.left_out = 0
        #: None once it is decided which levels are kept.
        self._held: list[Run] | None = []

    def add(self, run: Run) -> None:
        """Takes the next run, when all chunks of the volume that come before it are written."""
        if run.level <= self.left_out or self._hold(run):
            return
        self._choose([run])
        if run.level <= self.left_out or self._hold(run):
            return
        self._write_held()
        self._write(run)

    def finish(self, headers: list[Header]) -> list[Header]:
        """Returns the headers of the levels that the file has."""
        self._choose([])
        self._write_held()
        return [(level - self.left_out, *others) for level, *others in headers if level > self.left_out]

    def _hold(self, run: Run) -> bool:
        """Whether there is room for the run, which is then held."""
        if self._held is None or sum(one.nbytes for one in self._held) + run.nbytes > _MOST_HELD:
            return False
        self._held.append(run)
        return True

    def _choose(self, others: list[Run]) -> None:
        """Leaves out the finest levels until the others are small enough, at this place of the file."""
        if self._held is None:
            return
        while self.left_out + 1 < self._level_count:
            size = bytes_of_levels([(one.level, one.chunks) for one in self._held + others if one.level > self.left_out], self._width)
            if 100 * size <= _PERCENT * (self._writer.size + size):
                break
            self.left_out += 1
        self._held = [one for one in self._held if one.level > self.left_out]

    def _write_held(self) -> None:
        held, self._held = self._held or [], None
        for run in held:
            self._write(run)

    def _write(self, run: Run) -> None:
        for at, chunk in enumerate(run.chunks):
            self._writer.add_to_level(run.level - self.left_out, run.first + at, chunk)
