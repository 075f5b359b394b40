"""The volume at lower resolutions: docs/FORMAT.md, 'Levels'."""

import struct

from . import _records
from ._header import Header, check_grid
from ._index import Index
from ._source import Source, read_exactly
from .errors import CorruptError

METHODS = ("mean", "mode")
_MOST_LEVELS = 30
#: Usually covers the record of a level.
_BLOCK = 65_536


def read_levels(source: Source, header: Header, start: int, index_end: int, index_start: int) -> list[tuple[Header, Index]]:
    """
    The levels from the finest to the coarsest.

    start, index_start: where chunk records begin, and where they end.
    index_end: where the records of levels begin.
    """
    tail = int.from_bytes(read_exactly(source, source.size - 16, 8), "little")
    levels: list[tuple[Header, Index]] = []
    before = (1, 1, 1)
    at = index_end
    while at < tail:
        head = read_exactly(source, at, min(_BLOCK, tail - at))
        length = _records.record_length(head, at)
        if length is None or at + length > tail:
            raise CorruptError(f"the record at byte {at}, between the index and the end, is damaged")
        if head[:4] == b"levl":
            octets = head[:length] if length <= len(head) else read_exactly(source, at, length)
            record = _records.parse_record(octets, at, "levl")
            if len(record.meta) != 32 or len(levels) == _MOST_LEVELS:
                raise CorruptError(f"the levl record at byte {at} is impossible")
            number, method, *lengths = struct.unpack("<8I", record.meta)
            factors, chunk = (lengths[0], lengths[1], lengths[2]), (lengths[3], lengths[4], lengths[5], 1)
            are_powers = all(0 < factor <= 2**30 and factor & (factor - 1) == 0 for factor in factors)
            is_coarser = factors != before and all(a >= b for a, b in zip(factors, before, strict=True))
            if number != len(levels) + 1 or method >= len(METHODS) or not are_powers or not is_coarser or 0 in chunk:
                raise CorruptError(f"the levl record at byte {at} is impossible")
            level = _level_header(header, factors, chunk)
            check_grid(level, f"level {number}")
            levels.append((level, Index(record.body, level.grid.count, header.width, start, index_start)))
            before = factors
        at += length
    return levels


def _level_header(header: Header, factors: tuple[int, int, int], chunk: tuple[int, int, int, int]) -> Header:
    x, y, z = (-(-length // factor) for length, factor in zip(header.dims[:3], factors, strict=True))
    dims = (x, y, z, header.dims[3])
    a, b, c = (step * factor for step, factor in zip(header.spacing[:3], factors, strict=True))
    spacing = (a, b, c, header.spacing[3])
    affine = list(header.affine)
    for row in range(0, 12, 4):
        # A voxel lies in the middle of those that it combines.
        affine[row + 3] += sum((factor - 1) / 2 * header.affine[row + axis] for axis, factor in enumerate(factors))
        for axis, factor in enumerate(factors):
            affine[row + axis] *= factor
    volume = {**header.volume, "dims": list(dims), "spacing": list(spacing), "affine": affine}
    return header._replace(dims=dims, spacing=spacing, affine=tuple(affine), chunk=chunk, volume=volume)
