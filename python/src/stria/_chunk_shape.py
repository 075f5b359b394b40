"""The shapes of chunks: src/core/chunks/chunk-shape.ts."""

import math
from collections.abc import Callable

from ._header import Four, Three, most_chunks

_LAYER, _EDGE, _CHUNK, _MOST_TIMES = 2**28, 64, 2**24, 8


def default_chunk_shape(dims: Four, width: int) -> Four:
    """64 × 64 × 64 elements, clipped to the volume; more along its axes, or time points, if it is thin. @param dims in elements"""
    return _smallest(dims, width, 1, lambda elements: _cube(dims, width, elements, _EDGE))


def default_time_group(dims: Four, width: int) -> int:
    """The number of time points that chunks interleave: at most 8, in groups of about equal length."""
    most = min(_MOST_TIMES, _LAYER // (math.prod(dims[:3]) * width))
    return 1 if most < 2 else -(-dims[3] // -(-dims[3] // most))


def interleaved_shape(dims: Four, width: int, times: int) -> Four:
    """The shape of chunks that interleave time points: as many planes fewer. Small volumes have more time points in a chunk."""
    still = default_chunk_shape(dims, width)
    if still[3] > 1:
        return still
    volume: Four = (*dims[:3], 1)
    planes = max(1, _EDGE // times)
    x, y, z, _ = _smallest(dims, width, times, lambda elements: _cube(volume, width, elements, planes))
    return x, y, z, times


def _smallest(dims: Four, width: int, times: int, shape_of: Callable[[int], Four]) -> Four:
    """The first shape, of more and more elements, that gives no more chunks than allowed."""
    groups: Four = (*dims[:3], -(-dims[3] // times))
    elements = _EDGE**3 // times
    while _count(groups, shape_of(elements)) > most_chunks(dims) and 2 * elements <= _CHUNK // width // times:
        elements *= 2
    return shape_of(elements)


def _count(dims: Four, shape: Four) -> int:
    return math.prod(-(-d // c) for d, c in zip(dims, shape, strict=True))


def _cube(dims: Four, width: int, elements: int, planes: int) -> Four:
    """@param planes the greatest depth, unless a chunk holds whole planes"""
    x, y, z, _ = dims
    row = x * width
    depth = min(planes, z)
    while depth > 1 and row * y * depth > _LAYER:
        depth = -(-depth // 2)
    height = min(_EDGE, y)
    while depth == 1 and height > 1 and row * height > _LAYER:
        height = -(-height // 2)
    wide = min(_EDGE, x)

    def can_be_higher() -> bool:
        return height < y and (depth > 1 or row * min(2 * height, y) <= _LAYER)

    while 2 * wide * height * depth <= elements and (wide < x or can_be_higher()):
        if wide < x and (wide <= height or not can_be_higher()):
            wide = min(2 * wide, x)
        else:
            height = min(2 * height, y)
    return _deepened(dims, (wide, height, depth), elements)


def _deepened(dims: Four, shape: Three, elements: int) -> Four:
    """Chunks of whole planes are made deeper, and chunks of whole time points take in more of them."""
    wide, height, depth = shape
    if wide < dims[0] or height < dims[1]:
        return wide, height, depth, 1
    planes = depth
    while planes < dims[2] and 2 * wide * height * planes <= elements:
        planes = min(2 * planes, dims[2])
    times = 1 if planes < dims[2] else elements // (wide * height * planes)
    return wide, height, planes, min(dims[3], max(1, times))
