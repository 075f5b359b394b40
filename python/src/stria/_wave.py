"""Decodes wave: src/core/codecs/wave/SPEC.md. The loops over elements are the module's; the rest is here, as in that folder."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _engine
from ._modules import Area, Bytes, area, call, module
from .errors import CorruptError

NEIGHBOURS, IN_PLANE, SIGN_CELLS, LEVELS = 28, 10, 27, 32
_MOST_PICTURE_WIDTH, _EDGE = 4096, 64
#: A damaged lane is read past its end by so many bytes for each element of a row.
_READ_AHEAD = 14

Extent = tuple[int, int, int]


def blocks(shape: Extent) -> list[tuple[Extent, Extent]]:
    """Origins and extents of a chunk's blocks: x fastest, then y, then z."""
    edges = (_MOST_PICTURE_WIDTH, _EDGE, 1) if shape[2] == 1 else (_EDGE, _EDGE, _EDGE)
    return [
        ((x, y, z), (min(edges[0], shape[0] - x), min(edges[1], shape[1] - y), min(edges[2], shape[2] - z)))
        for z in range(0, shape[2], edges[2])
        for y in range(0, shape[1], edges[1])
        for x in range(0, shape[0], edges[0])
    ]


def decode(payload: Bytes, shape: Extent, width: int, out: NDArray[np.uint8]) -> None:
    """Fills `out` with a chunk's voxels. @raise CorruptError"""
    planes = 2 if width == 4 else 1
    boxes = blocks(shape)
    parts = _cut(memoryview(payload), len(boxes) * planes)
    kind: Any = np.uint8 if width == 1 else "<u2"
    voxels = out.view(kind).reshape(shape[2], shape[1], shape[0], planes)
    for number, ((x, y, z), (lx, ly, lz)) in enumerate(boxes):
        for plane in range(planes):
            elements = _decode_part(parts[number * planes + plane], (lx, ly, lz), 8 if width == 1 else 16)
            voxels[z : z + lz, y : y + ly, x : x + lx, plane] = elements.reshape(lz, ly, lx)


def _cut(payload: memoryview, count: int) -> list[memoryview]:
    """'the lengths in bytes of all parts but the last, 4 bytes each'"""
    at = 4 * (count - 1)
    if len(payload) < at:
        raise _corrupt("ends within its lengths")
    ends = np.cumsum(np.frombuffer(payload[:at], "<u4").astype(np.int64)) + at
    parts = []
    for end in [*ends.tolist(), len(payload)]:
        if end > len(payload) or end <= at:
            raise _corrupt(f"of {len(payload)} bytes has no part from byte {at} to {end}")
        parts.append(payload[at:end])
        at = end
    return parts


class _Header(NamedTuple):
    lowest: int
    model: NDArray[np.int32]
    coding: NDArray[np.int32]
    lanes: NDArray[np.uint32]
    nbytes: int


def _decode_part(part: memoryview, extent: Extent, bits: int) -> NDArray[np.uint16]:
    count = extent[0] * extent[1] * extent[2]
    width = bits // 8
    kind: Any = np.uint8 if bits == 8 else "<u2"
    if part[0] in (0, 1):
        stored = count if part[0] == 1 else 1
        if len(part) != 1 + stored * width:
            raise _corrupt("has a part that is not as long as its elements")
        elements = np.frombuffer(part[1:], kind).astype(np.uint16)
        return elements if part[0] == 1 else np.full(count, elements[0], np.uint16)
    header = _read_header(part, extent, bits)
    values = np.empty(count, np.uint16)
    work = module("wave").call("historyBytes", [], [*extent])
    lanes = part[header.nbytes :]
    areas: list[Area] = [
        header.model.tobytes(),
        work,
        (lanes, len(lanes) + _READ_AHEAD * extent[0]),
        header.lanes.tobytes(),
        header.coding.tobytes(),
        _engine.tables["wave"],
        2 * count,
    ]
    places = [area(2), area(3), *extent, area(0), area(1), area(4), area(5), area(6)]
    if not call("wave", "decode", areas, places, values.view(np.uint8), 6):
        raise _corrupt("has a lane that is not sound")
    values += np.uint16(header.lowest)
    return values if bits == 16 else values & np.uint16(255)


class _Bits:
    """Reads numbers from the lowest bit of the first byte on."""

    def __init__(self, octets: memoryview) -> None:
        # No header is longer: 64 lanes of 16 bits, and fewer than 200 other bytes.
        self._value = int.from_bytes(octets[:1024], "little")
        self._most = 8 * min(len(octets), 1024)
        self.at = 0

    def read(self, count: int) -> int:
        if self.at + count > self._most:
            raise _corrupt("has a part that ends early")
        value = (self._value >> self.at) & ((1 << count) - 1)
        self.at += count
        return value

    def signed(self, count: int) -> int:
        value = self.read(count)
        return value - (value >> (count - 1) << count)


def _read_header(part: memoryview, extent: Extent, bits: int) -> _Header:
    """SPEC.md, 'A coded part'."""
    reader = _Bits(part)
    kind, special_count, width = reader.read(2), reader.read(2), reader.read(4)
    if kind != 2 or special_count > 2:
        raise _corrupt("has a part of no known kind")
    lowest, span = reader.read(bits), reader.read(bits)
    specials = [reader.read(bits) for _ in range(special_count)]
    if span == 0 or any(value > span for value in specials) or len(set(specials)) < len(specials):
        raise _corrupt("has a part with values that no encoder writes")
    weights = [reader.signed(11) for _ in range(NEIGHBOURS)] if extent[2] > 1 else [0] * NEIGHBOURS
    first_weights = [reader.signed(11) for _ in range(IN_PLANE)] + [0] * (NEIGHBOURS - IN_PLANE)
    levels = [reader.read(5) for _ in range(LEVELS)]
    biases = [reader.signed(6) for _ in range(2 * SIGN_CELLS)]
    shortest = reader.read(16)
    lanes = [shortest + reader.read(width) for _ in range(extent[1])]
    if reader.read(-reader.at & 7) != 0:
        raise _corrupt("has bits behind its lengths that are not 0")
    nbytes = reader.at // 8
    if nbytes + sum(lanes) != len(part):
        raise _corrupt("has a part that is not as long as its lanes")
    fraction = 4 if bits == 8 else 2
    model = [fraction, span, special_count, *(specials + [0, 0])[:2], *weights, *first_weights]
    return _Header(
        lowest, np.array(model, "<i4"), np.array([*levels, *biases], "<i4"), np.array(lanes, "<u4"), nbytes
    )


def _corrupt(what: str) -> CorruptError:
    return CorruptError(f"its wave payload {what}")
