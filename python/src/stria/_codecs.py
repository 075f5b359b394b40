"""The codecs: how their modules are called, as the wasm.ts of each folder of src/core/codecs does."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import _engine, _wave, _wave_encode
from ._modules import Area, Bytes, area, call, produce, read
from .errors import CorruptError, UnsupportedError

Octets: TypeAlias = NDArray[np.uint8]


class Geometry(NamedTuple):
    """A chunk as codecs see it: its lengths along x, y and z, and the bytes of an element."""

    shape: tuple[int, int, int]
    width: int

    @property
    def elements(self) -> int:
        return self.shape[0] * self.shape[1] * self.shape[2]

    @property
    def nbytes(self) -> int:
        return self.elements * self.width


class Stage(NamedTuple):
    codec: int
    parameters: bytes


@dataclass(frozen=True)
class Codec:
    id: int
    name: str
    #: The longest payload in bytes.
    bound: Callable[[Geometry], int]
    #: Fills the last argument. @raise CorruptError
    decode: Callable[[Bytes, Geometry, bytes, Octets], None]
    encode: Callable[[Bytes, Geometry, bytes, Sequence[int] | None], bytes]
    #: Lengths of the parts of a payload that have statistics of their own.
    sections: Callable[[bytes, Geometry, bytes], Sequence[int] | None] = lambda payload, chunk, parameters: None


def _ceil(value: int, by: int) -> int:
    return -(-value // by)


def _refused(name: str) -> CorruptError:
    return CorruptError(f"its {name} payload is damaged")


def _axis(name: str, parameters: bytes) -> int:
    if len(parameters) == 1 and parameters[0] < 3:
        return parameters[0]
    raise CorruptError(f"{name} takes one parameter byte, 0, 1 or 2; found {list(parameters)}")


def _mode(name: str, parameters: bytes) -> tuple[int, int]:
    if len(parameters) == 1 and parameters[0] & ~17 == 0:
        return parameters[0] & 1, parameters[0] >> 4
    raise CorruptError(f"{name} takes one parameter byte, 0, 1, 16 or 17; found {list(parameters)}")


def _no_parameters(name: str, parameters: bytes) -> None:
    if parameters:
        raise CorruptError(f"{name} takes no parameters; found {list(parameters)}")


def _planes(width: int) -> tuple[int, int]:
    """The planes of elements, and the bits of each."""
    return (2 if width == 4 else 1), (8 if width == 1 else 16)


# raw


def _decode_raw(payload: Bytes, chunk: Geometry, parameters: bytes, out: Octets) -> None:
    _no_parameters("raw", parameters)
    if len(payload) != chunk.nbytes:
        raise CorruptError(f"its raw payload has {len(payload)} bytes instead of {chunk.nbytes}")
    out[:] = np.frombuffer(payload, np.uint8)


# rle


def rle_levels(count: int) -> tuple[int, int, int, int]:
    return _ceil(count, 8), _ceil(count, 64), _ceil(count, 512), _ceil(count, 4096)


def _decode_rle(payload: Bytes, chunk: Geometry, parameters: bytes, out: Octets) -> None:
    axis = _axis("rle", parameters)
    scratch = sum(rle_levels(chunk.elements)[:3]) + 3 * 64
    areas: list[Area] = [(payload, len(payload) + 16), scratch, chunk.nbytes + 512]
    values = [area(0), len(payload), *chunk.shape, chunk.width, axis, area(2), area(1)]
    if not call("rle", "decode", areas, values, out, 2):
        raise _refused("rle")


def _encode_rle(voxels: Bytes, chunk: Geometry, parameters: bytes, sections: Sequence[int] | None) -> bytes:
    return InMemory(voxels, chunk).encode_rle(parameters[0])


def _rle_sections(payload: bytes, chunk: Geometry, parameters: bytes) -> Sequence[int]:
    lengths = [rle_levels(chunk.elements)[3]]
    at = 0
    octets = np.frombuffer(payload, np.uint8)
    while len(lengths) < 4:
        end = at + lengths[-1]
        lengths.append(int(np.unpackbits(octets[at:end]).sum()))
        at = end
    return [*lengths, len(payload) - sum(lengths)]


class InMemory:
    """A chunk in the memory of the module `chunks`, analyzed: src/core/cpu/chunk-memory.ts."""

    _slack = 512

    def __init__(self, voxels: Bytes, chunk: Geometry) -> None:
        x, y, z = chunk.shape
        row = x * chunk.width
        line = 8 * _ceil(y, 64)
        sets = 3 * line * z + 8 * _ceil(z, 64) * y
        levels = rle_levels(chunk.elements)
        longest = max(20, sum(levels) + chunk.nbytes + self._slack)
        scratch = 2 * sum(levels[:3]) + 4 * self._slack
        #: Vectors are read on both sides of the voxels.
        self._areas: list[Area] = [self._slack, chunk.nbytes + self._slack, sets, longest, scratch]
        self._chunk = [area(1), row, row * y, *chunk.shape, chunk.width, area(2)]
        given = [*self._areas[:1], (voxels, chunk.nbytes + self._slack), *self._areas[2:]]
        call("chunks", "findNonZero", given, [area(1), row, row, y, area(2)])
        for plane in range(1, z):
            call("chunks", "findNonZero", self._areas, [area(1, row * y * plane), row, row, y, area(2, line * plane)])
        call("chunks", "analyze", self._areas, [*self._chunk, area(3)])
        found = np.frombuffer(read("chunks", self._areas, 3, 20), "<u4").tolist()
        #: Pairs of neighbours along x, y and z that differ.
        self.changes: tuple[int, int, int] = tuple(found[:3])
        self.checksum: tuple[int, int] = (found[3], found[4])

    def encode_rle(self, axis: int) -> bytes:
        return produce("chunks", "encodeRle", self._areas, [*self._chunk, axis, area(3), area(4)], 3)


# parle


def _parle_longest(chunk: Geometry) -> int:
    return 8 * _ceil(chunk.elements, 2048) + 4 * _ceil(chunk.nbytes, 4) + 4 * _ceil(chunk.elements, 32)


def _decode_parle(payload: Bytes, chunk: Geometry, parameters: bytes, out: Octets) -> None:
    axis = _axis("parle", parameters)
    values = [area(0), len(payload), *chunk.shape, chunk.width, axis, area(1), area(2)]
    if not call("parle", "decode", [payload, chunk.nbytes, chunk.nbytes], values, out, 2):
        raise _refused("parle")


def _encode_parle(voxels: Bytes, chunk: Geometry, parameters: bytes, sections: Sequence[int] | None) -> bytes:
    areas = [voxels, 4 * _ceil(chunk.elements, 32), _parle_longest(chunk)]
    return produce("parle", "encode", areas, [area(0), *chunk.shape, chunk.width, parameters[0], area(1), area(2)], 2)


def _parle_sections(payload: bytes, chunk: Geometry, parameters: bytes) -> Sequence[int]:
    segments = _ceil(chunk.elements, 2048)
    runs = int.from_bytes(payload[4 * segments - 4 : 4 * segments], "little")
    values = 4 * _ceil(runs * chunk.width, 4)
    return [8 * segments, values, len(payload) - 8 * segments - values]


# rice


def _rice_bound(chunk: Geometry, picture: bool | None = None) -> int:
    x, y, z = chunk.shape
    planes, bits = _planes(chunk.width)
    flat = z < 4 if picture is None else picture
    brick = ((64, 64, 1) if bits == 8 else (64, 32, 1)) if flat else ((16, 16, 16) if bits == 8 else (16, 16, 8))
    blocks = (4 if bits == 8 else 2) if flat else 1
    bricks = _ceil(x, brick[0]) * _ceil(y, brick[1]) * _ceil(z, brick[2]) * planes
    return chunk.nbytes + 4 * _ceil(bricks, 2) + bricks * 4 * _ceil(8 + blocks * (4 + bits) + 256 + 32, 32)


def _decode_rice(payload: Bytes, chunk: Geometry, parameters: bytes, out: Octets) -> None:
    picture, causal = _mode("rice", parameters)
    areas: list[Area] = [(payload, len(payload) + 256), chunk.nbytes]
    values = [area(0), len(payload), *chunk.shape, chunk.width, picture, causal, area(1)]
    if len(payload) < 4 or not call("rice", "decode", areas, values, out, 1):
        raise _refused("rice")


def _encode_rice(voxels: Bytes, chunk: Geometry, parameters: bytes, sections: Sequence[int] | None) -> bytes:
    picture, causal = _mode("rice", parameters)
    areas: list[Area] = [voxels, _rice_bound(chunk, bool(picture)) + 8]
    return produce("rice", "encode", areas, [area(0), *chunk.shape, chunk.width, picture, causal, area(1)], 1)


# predict


def _parts(whole: int, part: int) -> list[tuple[int, int]]:
    """Lengths of the parts that a length is cut into, with the number of each."""
    rest = whole % part
    return [one for one in ((part, whole // part), (rest, int(rest > 0))) if one[1] > 0]


def _each(whole: tuple[int, int, int], part: tuple[int, int, int]) -> list[tuple[tuple[int, int, int], int]]:
    return [
        ((x, y, z), nx * ny * nz)
        for z, nz in _parts(whole[2], part[2])
        for y, ny in _parts(whole[1], part[1])
        for x, nx in _parts(whole[0], part[0])
    ]


def _predict_sizes(chunk: Geometry, picture: bool) -> tuple[int, int]:
    """The longest payload, and the bytes of the symbols of all groups: src/core/codecs/predict/layout.ts."""
    planes, bits = _planes(chunk.width)
    brick, block, group = ((64, 64, 1), (32, 32, 1), (8, 8, 1)) if picture else ((16, 16, 16), (16, 16, 16), (4, 4, 4))
    blocks = planes
    for length, edge in zip(chunk.shape, block, strict=True):
        blocks *= _ceil(length, edge)
    bound = 4 * _ceil(blocks, 4) + 4 * _ceil(blocks * bits // 8, 4)
    symbols = 0
    for extent, bricks in _each(chunk.shape, brick):
        groups = 0
        for (x, y, z), count in _each(extent, group):
            groups += count
            bound += bricks * planes * count * (bits // 8) * 4 * _ceil(x * y * z, 4)
            symbols += bricks * planes * count * 16 * _ceil(x * y * z * bits, 128)
        bound += bricks * planes * 4 * _ceil(groups, 8)
    return bound, symbols


def _decode_predict(payload: Bytes, chunk: Geometry, parameters: bytes, out: Octets) -> None:
    picture, median = _mode("predict", parameters)
    areas: list[Area] = [(payload, len(payload) + 256), chunk.nbytes]
    values = [area(0), len(payload), *chunk.shape, chunk.width, picture, median, area(1)]
    if not call("predict", "decode", areas, values, out, 1):
        raise _refused("predict")


def _encode_predict(voxels: Bytes, chunk: Geometry, parameters: bytes, sections: Sequence[int] | None) -> bytes:
    picture, median = _mode("predict", parameters)
    bound, symbols = _predict_sizes(chunk, bool(picture))
    areas: list[Area] = [voxels, symbols + 256, bound + 256]
    return produce("predict", "encode", areas, [area(0), *chunk.shape, chunk.width, picture, median, area(1), area(2)], 2)


def _predict_sections(payload: bytes, chunk: Geometry, parameters: bytes) -> Sequence[int] | None:
    picture, median = _mode("predict", parameters)
    areas: list[Area] = [(payload, len(payload) + 256), 64]
    count = call("predict", "sections", areas, [area(0), len(payload), *chunk.shape, chunk.width, picture, median, area(1)])
    lengths = np.frombuffer(read("predict", areas, 1, 4 * count), "<u4").tolist()
    return [length for length in lengths if length > 0]


# huffman


def _decode_huffman(payload: Bytes, chunk: Geometry, parameters: bytes, out: Octets) -> None:
    _no_parameters("huffman", parameters)
    areas: list[Area] = [(payload, len(payload) + 1024), chunk.elements, chunk.nbytes]
    if not call("huffman", "decode", areas, [area(0), len(payload), chunk.elements, chunk.width, area(1), area(2)], out, 2):
        raise _refused("huffman")


def _encode_huffman(voxels: Bytes, chunk: Geometry, parameters: bytes, sections: Sequence[int] | None) -> bytes:
    lengths = [length for length in sections or [chunk.nbytes] if length > 0]
    if len(lengths) > 16:
        lengths = [*lengths[:15], sum(lengths[15:])]
    if chunk.width > 1:
        lengths = [chunk.elements] * chunk.width
    areas: list[Area] = [
        voxels,
        (np.array(lengths, "<u4").tobytes(), 64),
        chunk.elements,
        chunk.nbytes + chunk.nbytes // 4 + 1024,
    ]
    return produce("huffman", "encode", areas, [area(0), chunk.elements, chunk.width, area(1), len(lengths), area(2), area(3)], 3)


def huffman_decoded_length(payload: Bytes) -> int:
    """The length that a payload says it decodes to: src/core/codecs/huffman/SPEC.md, 'Header'. @raise CorruptError"""
    count = int(payload[0]) if len(payload) > 0 else 0
    at, total = 1, 0
    for _ in range(count):
        value = shift = 0
        while True:
            if at >= len(payload) or shift == 35:
                raise _refused("huffman")
            byte = int(payload[at])
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                break
        total += value >> 2
    if not 1 <= count <= 16 or total >= 2**30:
        raise _refused("huffman")
    return total


# labels


def labels_bricks(chunk: Geometry) -> int:
    x, y, z = chunk.shape
    return _ceil(x, 16) * _ceil(y, 16) * _ceil(z, 16)


def _labels_bound(chunk: Geometry) -> int:
    bricks = labels_bricks(chunk)
    return chunk.nbytes + 1 + _ceil(bricks, 4) + _ceil(bricks * (4096 * chunk.width - 1).bit_length(), 8)


def _decode_labels(payload: Bytes, chunk: Geometry, parameters: bytes, out: Octets) -> None:
    _no_parameters("labels", parameters)
    areas: list[Area] = [(payload, len(payload) + 16), _engine.tables["labels"], chunk.nbytes]
    if not call("labels", "decode", areas, [area(0), len(payload), *chunk.shape, chunk.width, area(1), area(2)], out, 2):
        raise _refused("labels")


def _encode_labels(voxels: Bytes, chunk: Geometry, parameters: bytes, sections: Sequence[int] | None) -> bytes:
    lengths = 2 * labels_bricks(chunk)
    areas: list[Area] = [voxels, _engine.tables["labels"], lengths, _labels_bound(chunk) + lengths + 2048]
    return produce("labels", "encode", areas, [area(0), *chunk.shape, chunk.width, area(1), area(2), area(3)], 3)


# wave


def _wave_bound(chunk: Geometry) -> int:
    parts = len(_wave.blocks(chunk.shape)) * (2 if chunk.width == 4 else 1)
    return chunk.nbytes + parts + 4 * (parts - 1)


def _decode_wave(payload: Bytes, chunk: Geometry, parameters: bytes, out: Octets) -> None:
    _no_parameters("wave", parameters)
    _wave.decode(payload, chunk.shape, chunk.width, out)


def _encode_wave(voxels: Bytes, chunk: Geometry, parameters: bytes, sections: Sequence[int] | None) -> bytes:
    _no_parameters("wave", parameters)
    return _wave_encode.encode(voxels, chunk.shape, chunk.width)


RAW = Codec(1, "raw", lambda chunk: chunk.nbytes, _decode_raw, lambda voxels, *_: bytes(voxels))
RLE = Codec(
    2, "rle", lambda chunk: sum(rle_levels(chunk.elements)) + chunk.nbytes, _decode_rle, _encode_rle, _rle_sections
)
RICE = Codec(3, "rice", _rice_bound, _decode_rice, _encode_rice)
PARLE = Codec(4, "parle", _parle_longest, _decode_parle, _encode_parle, _parle_sections)
HUFFMAN = Codec(5, "huffman", lambda chunk: chunk.nbytes + 81, _decode_huffman, _encode_huffman)
LABELS = Codec(6, "labels", _labels_bound, _decode_labels, _encode_labels)
PREDICT = Codec(
    7,
    "predict",
    lambda chunk: _predict_sizes(chunk, chunk.shape[2] < 4)[0],
    _decode_predict,
    _encode_predict,
    _predict_sections,
)
WAVE = Codec(8, "wave", _wave_bound, _decode_wave, _encode_wave)

BY_ID = {codec.id: codec for codec in (RAW, RLE, RICE, PARLE, HUFFMAN, LABELS, PREDICT, WAVE)}


def _codec(stage: Stage) -> Codec:
    found = BY_ID.get(stage.codec)
    if found is None:
        raise UnsupportedError(f"it was written with codec {stage.codec}, which this version of Stria does not know")
    return found


def _check_bound(length: int, codec: Codec, chunk: Geometry) -> None:
    if length > codec.bound(chunk):
        raise CorruptError(f"its {length} bytes exceed the {codec.bound(chunk)} that {codec.name} can produce")


def decode(payload: Bytes, stages: Sequence[Stage], chunk: Geometry) -> Octets:
    """The voxels of a chunk as bytes. @raise CorruptError, UnsupportedError"""
    first = _codec(stages[0])
    if len(stages) > 2:
        raise UnsupportedError(f"this version of Stria does not know chains of {len(stages)} codecs")
    source: Any = payload
    if len(stages) == 2:
        second = _codec(stages[1])
        if second is not HUFFMAN:
            raise UnsupportedError(f"this version of Stria does not know {second.name} after {first.name}")
        length = huffman_decoded_length(payload)
        _check_bound(length, first, chunk)
        inner = Geometry((length, 1, 1), 1)
        _check_bound(len(payload), second, inner)
        source = np.empty(length, np.uint8)
        second.decode(payload, inner, stages[1].parameters, source)
    else:
        _check_bound(len(payload), first, chunk)
    voxels = np.empty(chunk.nbytes, np.uint8)
    first.decode(source, chunk, stages[0].parameters, voxels)
    return voxels


def checksum(octets: Bytes, row: int | None = None) -> tuple[int, int]:
    """`sum` and `cross` of rows of so many bytes, by default of one: docs/FORMAT.md, 'Checksum'."""
    nbytes = memoryview(octets).nbytes
    if nbytes == 0:
        return 0, 0
    length = row or nbytes
    areas: list[Area] = [(octets, nbytes + 16), 8]
    call("checksum", "checksum", areas, [area(0), length, nbytes // length, 0, area(1)])
    result = read("checksum", areas, 1, 8)
    return int.from_bytes(result[:4], "little"), int.from_bytes(result[4:], "little")
