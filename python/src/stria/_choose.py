"""How a chunk is stored: src/core/cpu/cpu-task-run.ts and src/core/chunks/ramp.ts."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ._codecs import BY_ID, RAW, Codec, Geometry, InMemory, Octets, Stage
from ._index import Ramp
from ._rank import PREFERENCES, rank, survey

_NO_CHANGES = (0, 0, 0)
#: With maximum effort: src/core/chunks/auto.ts.
_WAYS_TO_TRY = 5


class Encoded(NamedTuple):
    """A chunk with a payload."""

    stages: tuple[Stage, ...]
    payload: bytes
    checksum: tuple[int, int]


class Choice(NamedTuple):
    """The caller's options."""

    #: None: 'auto'.
    codec: Codec | None
    second: Codec | None = None
    prefer: str = "balanced"
    axis: int | None = None
    is_max: bool = False
    #: For levels: the chains of the chunks before, by the numbers of their codecs. None: all chains are alike.
    in_use: frozenset[tuple[int, ...]] | None = None


def choice_of(codec: str, prefer: str, axis: str | None, effort: str) -> Choice:
    """@raise ValueError for an unknown name, chain, preference, axis or effort"""
    by_name = {one.name: one for one in BY_ID.values()}
    names = [] if codec == "auto" else codec.split("+")
    if not all(name in by_name for name in names) or len(names) > 2:
        raise ValueError(f"there is no codec {codec!r}; there are auto, {', '.join(by_name)}, and chains such as rle+huffman")
    if len(names) == 2 and (names[1] != "huffman" or names[0] in ("raw", "wave", "huffman")):
        raise ValueError(f"{codec} is not a chain of codecs: only huffman comes second, and not after {names[0]}")
    if prefer not in PREFERENCES:
        raise ValueError(f"prefer must be one of {', '.join(PREFERENCES)}, not {prefer!r}")
    if axis not in (None, "x", "y", "z"):
        raise ValueError(f"axis must be x, y or z, not {axis!r}")
    if effort not in ("normal", "max"):
        raise ValueError(f"effort must be normal or max, not {effort!r}")
    first, second = [by_name[name] for name in names] + [None] * (2 - len(names))
    return Choice(first, second, prefer, None if axis is None else "xyz".index(axis), effort == "max")


def encode(voxels: Octets, chunk: Geometry, choice: Choice) -> Encoded | Ramp:
    """Encodes a chunk; constants and ramps have no payload. A codec that makes nothing smaller gives way to the next."""
    memory = InMemory(voxels, chunk)
    if memory.changes == _NO_CHANGES:
        return Ramp(int.from_bytes(voxels[: chunk.width].tobytes(), "little"), (0, 0, 0), 0, memory.checksum)
    ramp = _find_ramp(voxels, chunk, memory)
    if ramp is not None:
        return ramp
    chosen = _chosen(voxels, chunk, memory, choice)
    results = [_by_chain(*chain, voxels, chunk, memory, choice) for chain in chosen]
    smaller = [result for result in results if result is not None]
    if smaller:
        return min(smaller, key=lambda result: len(result.payload))
    then = chosen[0][1]
    for codec, second in (*([(then, None)] if then else []), (RAW, None)):
        encoded = _by_chain(codec, second, voxels, chunk, memory, choice)
        if encoded is not None:
            return encoded
    raise AssertionError("raw always encodes")


def _chosen(voxels: Octets, chunk: Geometry, memory: InMemory, choice: Choice) -> list[tuple[Codec, Codec | None]]:
    """The codecs to encode a chunk by. The smallest result is kept, of equal ones the first."""
    if choice.codec is not None:
        return [(choice.codec, choice.second)]
    ranked = rank(survey(voxels, chunk, memory.changes), chunk, choice.prefer, choice.axis, choice.is_max, choice.in_use)
    chains = [(one.codec, one.second) for one in ranked]
    if not choice.is_max or choice.prefer == "speed":
        return chains[:1]
    return [chain for chain in chains if chain[0] is not RAW][:_WAYS_TO_TRY]


def _parameters(codec: Codec, chunk: Geometry, changes: Sequence[int], choice: Choice) -> bytes:
    if codec.name in ("rle", "parle"):
        return bytes([list(changes).index(min(changes)) if choice.axis is None else choice.axis])
    if codec.name in ("rice", "predict"):
        return bytes([int(chunk.shape[2] < 4) + 16 * choice.is_max])
    return b""


def _by_chain(
    codec: Codec, second: Codec | None, voxels: Octets, chunk: Geometry, memory: InMemory, choice: Choice
) -> Encoded | None:
    """None if the chunk would not become smaller."""
    parameters = _parameters(codec, chunk, memory.changes, choice)
    if codec.name == "rle":
        payload = memory.encode_rle(parameters[0])
    else:
        payload = codec.encode(voxels, chunk, parameters, None)
    stage = Stage(codec.id, parameters)
    has_gain = codec is RAW or len(payload) < chunk.nbytes
    if second is not None and (has_gain or codec.name == "predict"):
        shorter = second.encode(payload, Geometry((len(payload), 1, 1), 1), b"", codec.sections(payload, chunk, parameters))
        if len(shorter) < len(payload) and len(shorter) < chunk.nbytes:
            return Encoded((stage, Stage(second.id, b"")), shorter, memory.checksum)
    return Encoded((stage,), payload, memory.checksum) if has_gain else None


def _find_ramp(voxels: Octets, chunk: Geometry, memory: InMemory) -> Ramp | None:
    """The rule that all elements follow, if there is one: docs/FORMAT.md, 'Ramps'."""
    x, y, z = chunk.shape
    neighbours = ((x - 1) * y * z, x * (y - 1) * z, x * y * (z - 1))
    if any(count not in (0, all_of) for count, all_of in zip(memory.changes, neighbours, strict=True)):
        return None
    elements = voxels.view(f"<u{chunk.width}").reshape(z, y, x)
    row = elements[0, 0, :3].astype(np.int64)
    first = int(row[0])
    steps = (
        int(elements[0, 0, 1]) - first if x > 1 else 0,
        int(elements[0, 1, 0]) - first if y > 1 else 0,
        int(elements[1, 0, 0]) - first if z > 1 else 0,
    )
    wrap = 2 ** (8 * chunk.width)
    away = 0
    # Each element except the first is compared with an earlier one: in the first row along x, in the first slice along y, then z.
    for later, earlier, step in (
        (elements[0, 0, 1:], elements[0, 0, :-1], steps[0]),
        (elements[0, 1:], elements[0, :-1], steps[1]),
        (elements[1:], elements[:-1], steps[2]),
    ):
        differences = later.astype(np.int64) - earlier - step
        if chunk.width == 4:
            differences = (differences + 2**31) % 2**32 - 2**31
        distances = np.unique(np.abs(differences))
        for distance in distances[distances != 0].tolist():
            if away not in (0, distance):
                return None
            away = distance
    modulus = 0 if away in (0, wrap) else away
    if modulus != 0 and (modulus > min(65536, wrap) or int(elements.max()) >= modulus):
        return None
    bound = modulus or wrap
    return Ramp(first, (steps[0] % bound, steps[1] % bound, steps[2] % bound), modulus, memory.checksum)
