// SIMD encoder and decoder of `rice`. They produce the same bytes as src/core/codecs/rice/reference.ts.
import { brickDepth, brickHeight, brickWidth, loadPlane, planeBytes, setExtent, setForm, storePlane } from './brick';
import { decodeBrick } from './decode';
import { encodeBrick } from './encode';

/** A vector's room before the plane, because left neighbours are read one element early. */
const room: usize = memory.data(16 + <i32>planeBytes, 16);
const plane: usize = room + 16;

/** Memory from this address on belongs to the caller. */
export const freeAt: usize = __heap_base;

/** 'No plane of a brick has more than 1034 words' */
const mostWords: u32 = 1034;

/**
 * Encodes a chunk.
 * @param from its voxels, without padding
 * @param isPicture the geometry; `isCausal` whether there are predictors 8 to 15
 * @param to room for the longest payload, and 8 bytes more
 * @returns length of the payload in bytes
 */
export function encode(
  from: usize,
  x: u32,
  y: u32,
  z: u32,
  elementBytes: u32,
  isPicture: bool,
  isCausal: bool,
  to: usize,
): usize {
  chooseForm(elementBytes, isPicture, isCausal);
  const entries = bricksOf(x, y, z) * (elementBytes === 4 ? 2 : 1);
  let end = to + directoryBytes(entries);
  memory.fill(to, 0, end - to);
  let entry = to;
  for (let oz: u32 = 0; oz < z; oz += brickDepth) {
    for (let oy: u32 = 0; oy < y; oy += brickHeight) {
      for (let ox: u32 = 0; ox < x; ox += brickWidth) {
        setExtent(min(brickWidth, x - ox), min(brickHeight, y - oy), min(brickDepth, z - oz));
        const first = from + ((oz * y + oy) * x + ox) * elementBytes;
        for (let half: u32 = 0; half < elementBytes; half += 2) {
          const start = end;
          if (elementBytes === 1) {
            loadPlane<u8>(plane, first, elementBytes, x * elementBytes, x * y * elementBytes);
            end = encodeBrick<u8>(plane, end);
          } else {
            loadPlane<u16>(plane, first + half, elementBytes, x * elementBytes, x * y * elementBytes);
            end = encodeBrick<u16>(plane, end);
          }
          store<u16>(entry, <u16>((end - start) >> 2));
          entry += 2;
        }
      }
    }
  }
  return end - to;
}

/**
 * Decodes a chunk.
 * @param from its payload; 256 bytes past its end must be readable
 * @param isPicture the geometry; `isCausal` whether there are predictors 8 to 15
 * @param to room for its voxels
 * @returns false for a payload that SPEC.md refuses
 */
export function decode(
  from: usize,
  length: usize,
  x: u32,
  y: u32,
  z: u32,
  elementBytes: u32,
  isPicture: bool,
  isCausal: bool,
  to: usize,
): bool {
  chooseForm(elementBytes, isPicture, isCausal);
  const entries = bricksOf(x, y, z) * (elementBytes === 4 ? 2 : 1);
  const directory = directoryBytes(entries);
  if (length < directory) return false;
  if ((entries & 1) !== 0 && load<u16>(from + 2 * entries) !== 0) return false;
  let entry = from;
  let start: usize = directory;
  for (let oz: u32 = 0; oz < z; oz += brickDepth) {
    for (let oy: u32 = 0; oy < y; oy += brickHeight) {
      for (let ox: u32 = 0; ox < x; ox += brickWidth) {
        setExtent(min(brickWidth, x - ox), min(brickHeight, y - oy), min(brickDepth, z - oz));
        const first = to + ((oz * y + oy) * x + ox) * elementBytes;
        for (let half: u32 = 0; half < elementBytes; half += 2) {
          const words = <u32>load<u16>(entry);
          entry += 2;
          if (words > mostWords || start + 4 * words > length) return false;
          if (elementBytes === 1) {
            if (!decodeBrick<u8>(from + start, 4 * words, plane)) return false;
            storePlane<u8>(plane, first, elementBytes, x * elementBytes, x * y * elementBytes);
          } else {
            if (!decodeBrick<u16>(from + start, 4 * words, plane)) return false;
            storePlane<u16>(plane, first + half, elementBytes, x * elementBytes, x * y * elementBytes);
          }
          start += 4 * words;
        }
      }
    }
  }
  return start === length;
}

function chooseForm(elementBytes: u32, isPicture: bool, isCausal: bool): void {
  if (elementBytes === 1) setForm<u8>(isPicture, isCausal);
  else setForm<u16>(isPicture, isCausal);
}

function bricksOf(x: u32, y: u32, z: u32): u32 {
  return ((x + brickWidth - 1) / brickWidth) * ((y + brickHeight - 1) / brickHeight) * ((z + brickDepth - 1) / brickDepth);
}

/** 'then zeros up to a whole word' */
function directoryBytes(entries: u32): u32 {
  return 4 * ((entries + 1) >> 1);
}
