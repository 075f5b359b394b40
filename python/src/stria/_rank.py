"""
The codec of a chunk for 'auto': the estimates of each src/core/codecs/*/index.ts, and their ranking in src/core/chunks/auto.ts.
Operations have the order that they have there, so that every bit of a cost agrees, and so every choice.
"""

import math
import struct
from typing import NamedTuple

import numpy as np

from ._codecs import HUFFMAN, LABELS, PARLE, PREDICT, RAW, RICE, RLE, WAVE, Codec, Geometry, labels_bricks, rle_levels
from ._modules import Area, Bytes, area, call, read
from ._wave import blocks

_SLACK = 64
_ROW_STEP = 8
#: A level takes a codec that is not yet in use only if it halves the chunk: `newCodecCost` of src/core/chunks/auto.ts.
_NEW_CODEC_COST = 2


#: Gigabytes that a large GPU encodes in a second.
SPEEDS = {RLE: 900, RICE: 250, PREDICT: 150, HUFFMAN: 150, LABELS: 20, PARLE: 200, WAVE: 11, RAW: 1000}
#: Only of a codec that decodes slowly.
WAVE_DECODE_SPEED = 22


class Weights(NamedTuple):
    weight: float
    most: float
    decode: float
    link: float


PREFERENCES = {
    "size": Weights(0, 0, 0, 0),
    "balanced": Weights(5, 0.13, 5, 0.02),
    "speed": Weights(0, 0, math.inf, 4),
}


class Survey(NamedTuple):
    """Statistics of a chunk: src/core/codec/codec.ts, `ChunkStatistics` and `ChunkSurvey`."""

    changes: tuple[int, int, int]
    sampled: int
    #: Under left, up, behind, flat and Lorenzo.
    rice_bits: tuple[float, ...]
    soft_bits: float
    steps: float
    spikes: float


def survey(voxels: Bytes, chunk: Geometry, changes: tuple[int, int, int]) -> Survey:
    areas: list[Area] = [_SLACK, (voxels, chunk.nbytes + _SLACK), 64]
    x, y, z = chunk.shape
    row = x * chunk.width
    call("survey", "survey", areas, [area(1), row, y * row, *chunk.shape, chunk.width, area(2)])
    numbers = np.frombuffer(read("survey", areas, 2, 64), "<f8").tolist()
    return Survey(changes, x * -(-y // _ROW_STEP) * z, tuple(numbers[:5]), *numbers[5:])


class Candidate(NamedTuple):
    codec: Codec
    second: Codec | None
    cost: float


def rank(
    found: Survey,
    chunk: Geometry,
    prefer: str,
    axis: int | None,
    is_max: bool,
    in_use: frozenset[tuple[int, ...]] | None = None,
) -> list[Candidate]:
    """All ways to encode a chunk, by rising cost."""
    weights = PREFERENCES["size" if prefer == "balanced" and is_max else prefer]
    nbytes = chunk.nbytes
    candidates: list[Candidate] = []

    def add(codec: Codec, second: Codec | None, estimate: float, slowness: float) -> None:
        size = min(math.ceil(estimate), nbytes)
        for_decoding = weights.decode / WAVE_DECODE_SPEED if codec is WAVE else 0
        if for_decoding == math.inf:
            return
        cost = size * (1 + min(weights.most, weights.weight * slowness) + for_decoding) + weights.link * nbytes * slowness
        chain = (codec.id,) if second is None else (codec.id, second.id)
        is_new = in_use is not None and prefer != "size" and not is_max and chain not in in_use
        candidates.append(Candidate(codec, second, _NEW_CODEC_COST * cost if is_new else cost))

    along = found.changes.index(min(found.changes)) if axis is None else axis
    rle = _rle(found, chunk, along)
    predict = _predict(found, chunk)
    add(RLE, None, rle, 1 / SPEEDS[RLE])
    add(RLE, HUFFMAN, _rle_huffman(found, rle), 1 / SPEEDS[RLE] + min(1, rle / nbytes) / SPEEDS[HUFFMAN])
    add(RICE, None, _rice(found, chunk, is_max), 1 / SPEEDS[RICE])
    slowness = 1 / SPEEDS[PREDICT] + min(1, predict / nbytes) / SPEEDS[HUFFMAN]
    add(PREDICT, HUFFMAN, _predict_huffman(found, chunk, is_max), slowness)
    add(HUFFMAN, None, _huffman(found, chunk), 1 / SPEEDS[HUFFMAN])
    add(LABELS, None, _labels(found, chunk), 1 / SPEEDS[LABELS])
    add(PARLE, None, _parle(found, chunk, along), 1 / SPEEDS[PARLE])
    add(WAVE, None, _wave(found, chunk), 1 / SPEEDS[WAVE])
    add(RAW, None, nbytes, 1 / SPEEDS[RAW])
    return sorted(candidates, key=lambda one: one.cost)


# What a survey says: src/core/codec/survey.ts


def _spike_share(found: Survey) -> float:
    return 0 if found.steps == 0 else found.spikes / found.steps


def _rice_bytes(found: Survey, chunk: Geometry) -> float:
    return (min(found.rice_bits) / 8) * (chunk.elements / found.sampled)


def _soft_share(found: Survey) -> float:
    return min(1.25, found.soft_bits / max(1, min(found.rice_bits)))


def _lorenzo_gain(found: Survey) -> float:
    left, up, behind, _, lorenzo = found.rice_bits
    return max(1, min(left, up, behind)) / max(1, lorenzo)


def _evenness(found: Survey) -> float:
    left, up, behind, flat, _ = found.rice_bits
    more = (flat - min(left, up, behind)) / found.sampled
    return max(0, min(1, (more - 0.4) / 0.08, (0.62 - more) / 0.06))


def _changing_share(found: Survey, chunk: Geometry) -> float:
    return sum(found.changes) / (3 * chunk.elements)


def _places_bytes(found: Survey, chunk: Geometry) -> float:
    changing = _changing_share(found, chunk)
    if changing == 0 or found.steps == 0:
        return 0
    x = chunk.shape[0]
    most_spikes = max(0, x - 2) / max(1, x - 1)
    is_scattered = max(0, min(1, 10 * (0.72 * most_spikes - _spike_share(found))))
    return (is_scattered * -math.log2(changing) * changing * 3 * chunk.elements) / 8


# The estimates


def _runs(found: Survey, chunk: Geometry, axis: int) -> float:
    """A run may also start where one column ends and the next begins: neighbours along the lower remaining axis."""
    lower = 1 if axis == 0 else 0
    return min(chunk.elements, 1 + found.changes[axis] + found.changes[lower] / chunk.shape[axis])


def _rle(found: Survey, chunk: Geometry, axis: int) -> int:
    lengths = rle_levels(chunk.elements)
    marks = _runs(found, chunk, axis)
    total = marks * chunk.width + lengths[3]
    for length in lengths[:3]:
        marks = length * -expm1(-marks / length)
        total += marks
    return math.ceil(total)


def _rle_huffman(found: Survey, rle: int) -> float:
    share = _spike_share(found) - 0.56
    return rle * (0.35 + (-0.8 if share < 0 else 1.4) * share)


def _rice(found: Survey, chunk: Geometry, is_max: bool) -> int:
    x, y, z = chunk.shape
    planes, is_byte = (2 if chunk.width == 4 else 1), chunk.width == 1
    edges = ((64, 64, 1) if is_byte else (64, 32, 1)) if z < 4 else ((16, 16, 16) if is_byte else (16, 16, 8))
    bricks = -(-x // edges[0]) * -(-y // edges[1]) * -(-z // edges[2])
    headers = bricks * planes * 5
    expected = _rice_bytes(found, chunk)
    changing = _changing_share(found, chunk)
    changes_per_bit = (changing * chunk.elements) / (8 * max(1, expected))
    short_codes = 0.7 * min(0.5, max(0, changes_per_bit - 0.25))
    by_causal = (0.945 if is_byte else 0.98) if is_max else 1
    by_level = 1 - 0.03 * _evenness(found)
    coded = by_causal * by_level * (0.78 + 0.17 * changing + short_codes) * expected
    return math.ceil(headers + max(coded, 1.1 * _places_bytes(found, chunk)))


def _predict(found: Survey, chunk: Geometry) -> int:
    changing = max(found.changes) / chunk.elements
    return math.ceil(min(1, 0.05 + 32 * changing) * chunk.nbytes)


def _predict_huffman(found: Survey, chunk: Geometry, is_max: bool) -> float:
    expected = _rice_bytes(found, chunk)
    changing = _changing_share(found, chunk)
    of_labels = 0.35 + 0.9 * max(0, _spike_share(found) - 0.56) + 1.2 * changing
    of_scans = 1.22 + 0.37 * changing - 0.45 * _soft_share(found) - (0.24 * expected) / chunk.nbytes
    return 200 + max(0.75 * _places_bytes(found, chunk), expected * min(1, of_labels, (0.96 if is_max else 1) * of_scans))


def _huffman(found: Survey, chunk: Geometry) -> int:
    changing = min(1, max(found.changes) / chunk.elements)
    return math.ceil(32 + (chunk.elements * chunk.width * (1 + 7 * changing)) / 8)


def _labels(found: Survey, chunk: Geometry) -> int:
    width = chunk.width
    changes = sum(found.changes)
    spikes = _spike_share(found)
    are_many_small = max(0, min(1, 30 * (changes / (3 * chunk.elements) - 0.107)))
    bits = 0.65 + 0.1 * width + (3.25 + 0.4 * width) * spikes + 5 * width**2 * are_many_small
    headers = labels_bricks(chunk) * (1 + 14 * width * spikes)
    return min(math.ceil(headers + (changes * bits) / 8), LABELS.bound(chunk))


def _parle(found: Survey, chunk: Geometry, axis: int) -> int:
    count = chunk.elements
    segments = -(-count // 2048)
    runs = _runs(found, chunk, axis)
    escapes = min(runs / expm1((255 * runs) / count), 4 * runs)
    padding = -1.5 * segments * expm1(-runs / segments)
    marks = min(runs + escapes + padding, 4 * -(-count // 32))
    scattered = 8 * segments + 4 * math.ceil((runs * chunk.width) / 4) + marks
    return min(math.ceil(1.15 * scattered), PARLE.bound(chunk))


def _wave(found: Survey, chunk: Geometry) -> int:
    spikes = _spike_share(found)
    gain = _lorenzo_gain(found)
    of_scans = -0.55 + 0.36 * _changing_share(found, chunk) + 1.07 * spikes + 0.66 / min(1.25, gain) - 0.55 * _soft_share(found)
    exactness = max(0, gain - 1.1) * {1: 0.4, 2: 0.5, 4: 3}[chunk.width]
    _, rows, slices = chunk.shape
    is_picture = slices == 1
    of_pictures = 0.1 if is_picture else 0
    share = 1 if spikes < 0.7 else max(0.2, of_scans + exactness + of_pictures + 0.08 * _evenness(found))
    parts = len(blocks(chunk.shape)) * (2 if chunk.width == 4 else 1)
    lanes = parts / math.ceil(rows / 64) * rows
    headers = (81 if is_picture else 119) * parts + 4 * lanes
    return min(math.ceil(headers + share * _rice_bytes(found, chunk)), WAVE.bound(chunk))


def expm1(x: float) -> float:
    """
    exp(x) − 1 as in JavaScript: by FreeBSD's msun (s_expm1.c, by Sun Microsystems), of which V8's is a copy. C libraries round some
    results differently. Only for finite numbers below 709.
    """
    high = struct.unpack("<Q", struct.pack("<d", abs(x)))[0] >> 32
    if high >= 0x4043687A and x < 0:
        return -1.0
    if high < 0x3C900000:
        return x
    k = 0
    c = 0.0
    if high > 0x3FD62E42:
        if high < 0x3FF0A2B2:
            k = 1 if x > 0 else -1
        else:
            k = int(1.44269504088896338700 * x + (0.5 if x > 0 else -0.5))
        far = x - k * 6.93147180369123816490e-01
        near = k * 1.90821492927058770002e-10
        x = far - near
        c = (far - x) - near
    half = 0.5 * x
    square = x * half
    series = 4.00821782732936239552e-06 + square * -2.01099218183624371326e-07
    series = -7.93650757867487942473e-05 + square * series
    series = 1.58730158725481460165e-03 + square * series
    series = 1.0 + square * (-3.33333333333331316428e-02 + square * series)
    t = 3.0 - series * half
    e = square * ((series - t) / (6.0 - x * t))
    if k == 0:
        return x - (x * e - square)
    e = x * (e - c) - c
    e -= square
    if k == -1:
        return 0.5 * (x - e) - 0.5
    if k == 1:
        return -2.0 * (e - (x + 0.5)) if x < -0.25 else 1.0 + 2.0 * (x - e)
    if k <= -2 or k > 56:
        return math.ldexp(1.0 - (e - x), k) - 1.0
    if k < 20:
        return math.ldexp((1.0 - math.ldexp(1.0, -k)) - (e - x), k)
    return math.ldexp((x - (e + math.ldexp(1.0, -k))) + 1.0, k)
