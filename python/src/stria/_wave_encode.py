"""Encodes wave: the choices of src/core/codecs/wave/part.ts and choose.ts. The loops over elements are the module's."""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _engine
from ._modules import Area, Bytes, area, module, read
from ._wave import IN_PLANE, LEVELS, NEIGHBOURS, SIGN_CELLS, Extent, blocks

_COLUMNS = NEIGHBOURS + 1
_SUMS = NEIGHBOURS * (NEIGHBOURS + 1) // 2 + NEIGHBOURS
_PHASES, _TOKENS = 4, 26
_SAMPLED = 4096
#: A special value occurs at least so often in the sample.
_FEWEST = 8
#: Parts of so many rows have enough elements for choices from some of the rows.
_MANY_ROWS = 1024
#: The last of the levels whose tables are for smooth pictures, which other levels may use, too.
_LAST_SMOOTH_LEVEL = 4
#: Extra room past a lane's limit, so that a longer lane is noticed.
_LANE_SLACK = 16
#: The most bytes of an element's codes.
_CODE_BYTES = 28

Elements = NDArray[np.uint16]
Integers = NDArray[np.int64]


class _Model(NamedTuple):
    """SPEC.md, 'A coded part': the fields about elements."""

    bits: int
    lowest: int
    span: int
    specials: list[int]
    weights: Integers
    first_weights: Integers

    def words(self) -> bytes:
        fraction = 4 if self.bits == 8 else 2
        head = [fraction, self.span, len(self.specials), *(self.specials + [0, 0])[:2]]
        return np.concatenate([head, self.weights, self.first_weights]).astype("<i4").tobytes()


class _Coding(NamedTuple):
    levels: list[int]
    residual_bias: list[int]
    gradient_bias: list[int]

    def words(self) -> bytes:
        return np.array([*self.levels, *self.residual_bias, *self.gradient_bias], "<i4").tobytes()


def encode(voxels: Bytes, shape: Extent, width: int) -> bytes:
    """The payload of a chunk."""
    planes = 2 if width == 4 else 1
    bits = 8 if width == 1 else 16
    kind: Any = np.uint8 if width == 1 else "<u2"
    elements = np.frombuffer(voxels, kind).reshape(shape[2], shape[1], shape[0], planes)
    parts = []
    for (x, y, z), (lx, ly, lz) in blocks(shape):
        for plane in range(planes):
            block = elements[z : z + lz, y : y + ly, x : x + lx, plane]
            parts.append(_encode_part(block.astype(np.uint16).reshape(-1), (lx, ly, lz), bits))
    lengths = np.array([len(part) for part in parts[:-1]], "<u4")
    return b"".join([lengths.tobytes(), *parts])


def _encode_part(elements: Elements, extent: Extent, bits: int) -> bytes:
    kind = "<u1" if bits == 8 else "<u2"
    sampled = elements[_sample_places(elements.size)].astype(np.int64)
    lowest, span = _range_of(elements, sampled, bits)
    if span == 0:
        return b"\x00" + elements[:1].astype(kind).tobytes()
    mask = 2**bits - 1
    values = (elements - np.uint16(lowest)) & np.uint16(mask)
    none = np.zeros(NEIGHBOURS, np.int64)
    model = _Model(bits, lowest, span, _specials_of((sampled - lowest) & mask), none, none)
    for by_residuals in (0, 1):
        sums, first_sums = _fit(model, values, extent, by_residuals)
        model = model._replace(weights=_solve(sums, NEIGHBOURS), first_weights=_solve(first_sums, IN_PLANE))
    coding = _coding_of(*_count(model, values, extent))
    lanes = _lanes(model, coding, values, extent)
    if lanes is not None:
        part = b"".join([_header(model, coding, [len(lane) for lane in lanes], extent[2]), *lanes])
        if len(part) <= elements.size * bits // 8:
            return part
    return b"\x01" + elements.astype(kind).tobytes()


# The choices


def _sample_places(count: int) -> Integers:
    i = np.arange(min(count, _SAMPLED))
    step = max(1, count // _SAMPLED)
    return i * step + (i * 29) % step


def _range_of(elements: Elements, sampled: Integers, bits: int) -> tuple[int, int]:
    """The lowest element and the range, of elements with or without a sign: SPEC.md, 'A coded part'."""
    is_met = np.zeros(2**bits, np.bool_)
    is_met[elements] = True
    met = np.flatnonzero(is_met)
    sign = 2 ** (bits - 1)
    # With their highest bit flipped, negative numbers come first.
    flipped = met ^ sign
    low, high, signed_low, signed_high = (int(one) for one in (met[0], met[-1], flipped.min(), flipped.max()))
    unsigned, signed = high - low, signed_high - signed_low
    if bits == 16 and min(unsigned, signed) >= 7 * 2**13:
        eighths = np.bincount(sampled >> 13, minlength=8)
        is_signed = bool(min(eighths[0], eighths[7]) > min(eighths[3], eighths[4]))
    else:
        is_signed = signed < unsigned
    return (signed_low ^ sign, signed) if is_signed else (low, unsigned)


def _specials_of(sample: Integers) -> list[int]:
    """
    At most two values that are far more frequent than adjacent values, the most frequent first. Each must be frequent enough to pay for
    a flag on every element, the second one on every element that is not the first.
    """
    counts = np.bincount(sample + 1, minlength=int(sample.max()) + 3)
    own, sides = counts[1:-1], np.maximum(counts[:-2], counts[2:])
    peaks: list[int] = np.flatnonzero((own > 0) & (own > 3 * sides)).tolist()
    specials: list[int] = []
    left = sample.size
    for value in sorted(peaks, key=lambda value: -int(own[value]))[:2]:
        count = int(own[value])
        if count < _FEWEST or 64 * count < left:
            break
        specials.append(value)
        left -= count
    return specials


def _solve(sums: NDArray[np.float64], count: int) -> Integers:
    """Weights in 256ths by least squares, by the operations of `solveWeights` in their order, so that every bit agrees."""
    whole = np.zeros((_COLUMNS, _COLUMNS))
    whole[np.triu_indices(_COLUMNS)[0][:_SUMS], np.triu_indices(_COLUMNS)[1][:_SUMS]] = sums
    whole += np.triu(whole, 1).T
    matrix = np.column_stack([whole[:count, :count], whole[:count, NEIGHBOURS]])
    diagonal = np.arange(count)
    # Ensures a solution if neighbours are alike.
    matrix[diagonal, diagonal] += 1 + matrix[diagonal, diagonal] / 2**20
    for i in range(count):
        factors = matrix[i + 1 :, i] / matrix[i, i]
        matrix[i + 1 :, i:] -= factors[:, None] * matrix[i, i:]
    rest = 256 * matrix[:, count]
    weights = np.zeros(NEIGHBOURS, np.int64)
    for i in range(count - 1, -1, -1):
        weights[i] = max(-1023, min(1023, math.floor(rest[i] / matrix[i, i] + 0.5)))
        rest[:i] -= matrix[:i, i] * weights[i]
    return weights


def _coding_of(distances: Integers, elements: Integers, tokens: Integers) -> _Coding:
    """The biases by the residuals' signs, then by the gradients' for the remaining distances; and the levels."""
    residual_bias = [_mean_bias(*one) for one in zip(distances.sum(1).tolist(), elements.sum(1).tolist())]
    left = distances - elements * np.array(residual_bias)[:, None]
    gradient_bias = [_mean_bias(*one) for one in zip(left.sum(0).tolist(), elements.sum(0).tolist())]
    return _Coding(_levels_of(tokens), residual_bias, gradient_bias)


def _mean_bias(total: int, count: int) -> int:
    return 0 if count < 32 else max(-31, min(31, (2 * total + count) // (2 * count)))


def _token_costs() -> Integers:
    """The approximate length of each token of each level in 64ths of bits."""
    numbers = np.frombuffer(_engine.tables["wave"], "<u2").astype(np.int64)
    tables = LEVELS * _PHASES
    frequencies = np.diff(numbers[: tables * (_TOKENS + 1)].reshape(tables, _TOKENS + 1), axis=1)
    octaves = np.frexp(frequencies)[1].astype(np.int64) - 1
    fractions = ((frequencies << 12) >> octaves) - 4096
    logarithms = 64 * octaves + ((64 * fractions + ((22 * fractions * (4096 - fractions)) >> 12)) >> 12)
    costs: Integers = (768 - logarithms).reshape(LEVELS, _PHASES * _TOKENS)
    return costs


_COSTS = _token_costs()


def _levels_of(tokens: Integers) -> list[int]:
    """For each level the level whose tables suit its tokens best: one of at most three away, or one for smooth pictures."""
    costs: list[list[int]] = (tokens @ _COSTS.T).tolist()
    levels = []
    for level, of_others in enumerate(costs):
        others = [other for other in range(LEVELS) if other <= _LAST_SMOOTH_LEVEL or abs(other - level) <= 3]
        levels.append(min((level, *others), key=of_others.__getitem__))
    return levels


# The module's loops


def _fit(model: _Model, values: Elements, extent: Extent, by_residuals: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    areas: list[Area] = [model.words(), _work(extent), values.view(np.uint8), bytes(16 * _SUMS)]
    # Of many rows, the first fit needs only one in 16.
    period = 4 if by_residuals or extent[1] * extent[2] < _MANY_ROWS else 16
    module("wave").call("fit", areas, [area(2), *extent, area(0), area(1), by_residuals, period, area(3)])
    sums = np.frombuffer(read("wave", areas, 3, 16 * _SUMS), "<f8")
    return sums[:_SUMS], sums[_SUMS:]


def _count(model: _Model, values: Elements, extent: Extent) -> tuple[Integers, Integers, Integers]:
    """By cells of residuals and gradients: the sums of distances, and the elements. By level: the tokens of each phase."""
    cells = SIGN_CELLS**2
    size = 4 * (2 * cells + LEVELS * _PHASES * _TOKENS)
    areas: list[Area] = [model.words(), _work(extent), values.view(np.uint8), bytes(size)]
    period = 1 if extent[1] * extent[2] < _MANY_ROWS else 4
    module("wave").call("count", areas, [area(2), *extent, area(0), area(1), period, area(3)])
    counts = np.frombuffer(read("wave", areas, 3, size), "<i4").astype(np.int64)
    by_cells = counts[: 2 * cells].reshape(2, SIGN_CELLS, SIGN_CELLS)
    return by_cells[0], by_cells[1], counts[2 * cells :].reshape(LEVELS, _PHASES * _TOKENS)


def _lanes(model: _Model, coding: _Coding, values: Elements, extent: Extent) -> list[bytes] | None:
    """None if a lane is longer than encoders may write."""
    height = extent[1]
    limit = 2 * extent[0] * extent[2] * model.bits // 8 + 16
    room = limit + _LANE_SLACK
    areas: list[Area] = [
        model.words(),
        _work(extent),
        values.view(np.uint8),
        coding.words(),
        _engine.tables["wave"],
        _CODE_BYTES * values.size,
        4 * height,
        room * height,
    ]
    places = [area(2), *extent, area(0), area(1), area(3), area(4), area(5), area(7), room, area(6)]
    if not module("wave").call("encode", areas, places):
        return None
    lengths = np.frombuffer(read("wave", areas, 6, 4 * height), "<u4").tolist()
    if max(lengths) > limit:
        return None
    lanes = read("wave", areas, 7, room * height)
    return [lanes[(lane + 1) * room - length : (lane + 1) * room] for lane, length in enumerate(lengths)]


def _work(extent: Extent) -> int:
    return module("wave").call("slicesBytes", [], extent[:2])


def _header(model: _Model, coding: _Coding, lanes: list[int], depth: int) -> bytes:
    """SPEC.md, 'A coded part'."""
    shortest = min(lanes)
    width = (max(lanes) - shortest).bit_length()
    fields: list[tuple[int, int]] = [(2 | len(model.specials) << 2 | width << 4, 8)]
    fields += [(one, model.bits) for one in (model.lowest, model.span, *model.specials)]
    weights = [*(model.weights.tolist() if depth > 1 else []), *model.first_weights[:IN_PLANE].tolist()]
    fields += [(weight & 2047, 11) for weight in weights]
    fields += [(level, 5) for level in coding.levels]
    fields += [(bias & 63, 6) for bias in (*coding.residual_bias, *coding.gradient_bias)]
    fields += [(shortest, 16), *((length - shortest, width) for length in lanes)]
    value = at = 0
    for field, bits in fields:
        value |= field << at
        at += bits
    return value.to_bytes(-(-at // 8), "little")
