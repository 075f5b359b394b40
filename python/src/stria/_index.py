"""The index of chunks: docs/FORMAT.md, 'INDX'. It keeps the record's bytes, and a few numbers for each run."""

from bisect import bisect_right
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._codecs import Stage
from ._records import MAX_PAYLOAD, Checksum, Cursor, chunk_record_length, decode_stages, encode_stages


class Coded(NamedTuple):
    offset: int
    length: int
    payload: int
    stages: tuple[Stage, ...]


class Ramp(NamedTuple):
    """Elements that follow from their positions: docs/FORMAT.md, 'Ramps'. A constant chunk is one without steps."""

    first: int
    steps: tuple[int, int, int]
    modulus: int
    checksum: Checksum


class Lost(NamedTuple):
    """The chunk was lost in the file from which this one was recovered."""


Entry = Coded | Ramp | Lost

_CONSTANT, _CODED, _RAMP, _LOST = range(4)


class _Run(NamedTuple):
    kind: int
    first: int
    place: int
    #: Of a coded run: where each record begins, and the end of the last.
    offsets: NDArray[np.int64] | None


class Index:
    """@raise CorruptError unless there is exactly one entry for each chunk, within the bounds"""

    def __init__(self, body: bytes | memoryview, chunks: int, width: int, start: int, end: int) -> None:
        self._body, self._width = memoryview(body), width
        cursor = Cursor(self._body, "the index")
        methods, runs = cursor.number(4), cursor.number(4)
        if methods > cursor.remaining or runs > cursor.remaining:
            raise cursor.corrupt("ends early")
        self._methods = [decode_stages(cursor) for _ in range(methods)]
        lengths = np.array([len(encode_stages(stages)) for stages in self._methods], np.int64)
        self._runs: list[_Run] = []
        following, record_end = 0, start
        for _ in range(runs):
            kind = cursor.number(1)
            if kind > _LOST:
                raise cursor.corrupt(f"has a run of kind {kind}, which version 1 does not know")
            count = cursor.number(4)
            if count == 0:
                raise cursor.corrupt("has a run without chunks")
            place, offsets = cursor.at, None
            if kind == _CODED:
                offsets = self._coded(cursor, count, lengths, following, record_end, end)
                record_end = int(offsets[-1])
            elif kind != _LOST:
                self._skip(cursor, kind, count)
            self._runs.append(_Run(kind, following, place, offsets))
            following += count
            if following > chunks:
                raise cursor.corrupt(f"has more entries than the volume's {chunks} chunks")
        if following != chunks:
            raise cursor.corrupt(f"has {following} entries for {chunks} chunks")
        if cursor.remaining:
            raise cursor.corrupt("has bytes after its last field")
        self._firsts = [run.first for run in self._runs]
        self._chunks = chunks

    def _coded(
        self, cursor: Cursor, count: int, lengths: NDArray[np.int64], number: int, start: int, end: int
    ) -> NDArray[np.int64]:
        first = cursor.number(8)
        entries = np.frombuffer(cursor.skip(8 * count), "<u4").reshape(count, 2).astype(np.int64)
        if first % 8 != 0 or first < start:
            raise cursor.corrupt(f"puts chunk {number + 1} at byte {first}, where no record of it can be")
        if (entries[:, 0] >= len(lengths)).any():
            raise cursor.corrupt("names a method that it lacks")
        if (entries[:, 1] > MAX_PAYLOAD).any():
            raise cursor.corrupt(f"gives a chunk more than {MAX_PAYLOAD} bytes")
        meta = -(-(16 + lengths[entries[:, 0]]) // 8) * 8
        sizes = -(-(32 + meta + entries[:, 1]) // 8) * 8
        offsets = np.concatenate(([first], first + np.cumsum(sizes)))
        if offsets[-1] > end:
            raise cursor.corrupt(f"puts a chunk after byte {end}, the end of the chunk records")
        return offsets

    def _skip(self, cursor: Cursor, kind: int, count: int) -> None:
        if kind == _CONSTANT:
            cursor.skip(8)
        width = cursor.number(1)
        if width != self._width:
            raise cursor.corrupt(f"has an element of {width} bytes in a volume of {self._width}-byte elements")
        if kind == _CONSTANT:
            cursor.skip(width)
            return
        modulus = cursor.number(4)
        steps = [cursor.number(width) for _ in range(3)]
        wrap = 2 ** (8 * width)
        bound = modulus or wrap
        if modulus != 0 and not 2 <= modulus <= min(65536, wrap - 1):
            raise cursor.corrupt(f"has a ramp modulo {modulus}, which elements of {width} bytes cannot have")
        if max(steps) >= bound:
            raise cursor.corrupt(f"has a ramp with steps {', '.join(map(str, steps))} modulo {bound}")
        if max(steps) == 0:
            raise cursor.corrupt("has a ramp without steps")
        entries = np.frombuffer(cursor.skip(count * (8 + width)), np.uint8).reshape(count, 8 + width)[:, 8:]
        firsts = np.ascontiguousarray(entries).view(f"<u{width}")
        if int(firsts.max()) >= bound:
            raise cursor.corrupt(f"has a ramp from {int(firsts.max())} on modulo {bound}")

    def entry(self, number: int) -> Entry:
        run = self._runs[bisect_right(self._firsts, number) - 1]
        at = number - run.first
        cursor = Cursor(self._body, "the index")
        cursor.at = run.place
        if run.offsets is not None:
            cursor.at += 8 + 8 * at
            stages, payload = self._methods[cursor.number(4)], cursor.number(4)
            offset = int(run.offsets[at])
            return Coded(offset, chunk_record_length(len(encode_stages(stages)), payload), payload, stages)
        if run.kind == _LOST:
            return Lost()
        if run.kind == _CONSTANT:
            sums = cursor.checksum()
            return Ramp(cursor.number(cursor.number(1)), (0, 0, 0), 0, sums)
        width, modulus = cursor.number(1), cursor.number(4)
        steps = (cursor.number(width), cursor.number(width), cursor.number(width))
        cursor.at += at * (8 + width)
        sums = cursor.checksum()
        return Ramp(cursor.number(width), steps, modulus, sums)

    @property
    def lost(self) -> int:
        """The number of lost chunks."""
        ends = [*self._firsts[1:], self._chunks]
        return sum(end - run.first for run, end in zip(self._runs, ends, strict=True) if run.kind == _LOST)
