"""The default chunk shape: src/core/chunks/chunk-shape.ts."""

import math

from ._header import Four, Three, most_chunks

_LAYER, _EDGE, _CHUNK = 2**28, 64, 2**24


def default_chunk_shape(dims: Four, width: int) -> Four:
    """64 × 64 × 64 elements, clipped to the volume; more along its axes, or time points, if it is thin. @param dims in elements"""
    elements = _EDGE**3
    most = _CHUNK // width
    while _count(dims, _cube(dims, width, elements)) > most_chunks(dims) and 2 * elements <= most:
        elements *= 2
    return _cube(dims, width, elements)


def _count(dims: Four, shape: Four) -> int:
    return math.prod(-(-d // c) for d, c in zip(dims, shape, strict=True))


def _cube(dims: Four, width: int, elements: int) -> Four:
    x, y, z, _ = dims
    row = x * width
    depth = min(_EDGE, z)
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
