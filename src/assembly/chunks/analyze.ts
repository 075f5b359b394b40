import { differences, lowBits } from '../common/bits';
import { checksumCross, checksumSum, mixRows, startChecksum } from '../common/checksum';
import { nonZeroRows, rowsChangingX, rowsChangingY, rowsChangingZ, setWords } from '../common/row-sets';

/** The checksums of the first 0, 16, 32 … words if all are 0: `sum` and `cross`, 4 bytes each. Enough for 64³ elements of 4 bytes. */
const mostBlocks: u32 = 1 << 14;
const zeroSums: usize = memory.data(8 * ((1 << 14) + 1), 16);
let knownBlocks: u32 = 0;
const zeros: usize = memory.data(64 + 16, 16);

/** Like `analyze` in index.ts. Examines only nonzero rows and their neighbours. */
export function analyzeChunk<T>(
  at: usize,
  rowStride: u32,
  planeStride: u32,
  width: u32,
  height: u32,
  depth: u32,
  sets: usize,
  to: usize,
): void {
  const rowBytes = width * sizeof<T>();
  const rowWords = (rowBytes + 3) >> 2;
  const rowBlocks = rowWords >> 4;
  const blocks = rowBlocks * height * depth;
  const knowsZeros = (rowWords & 15) === 0 && blocks <= mostBlocks;
  if (knowsZeros) addZeroSums(blocks);
  const lineWords = setWords(height);
  const columnWords = setWords(depth);
  const nonZero = nonZeroRows(sets);
  const changingX = rowsChangingX(sets, height, depth);
  const changingY = rowsChangingY(sets, height, depth);
  const changingZ = rowsChangingZ(sets, height, depth);
  memory.fill(changingX, 0, 8 * (2 * lineWords * depth + columnWords * height));
  let changesX: u32 = 0;
  let changesY: u32 = 0;
  let changesZ: u32 = 0;
  let zeroSum: u32 = 0;
  let zeroCross: u32 = 0;
  startChecksum();
  for (let z: u32 = 0; z < depth; z++) {
    const plane = at + z * planeStride;
    // The last row and plane are compared with themselves.
    const toBehind = z + 1 < depth ? planeStride : 0;
    for (let part: u32 = 0; part < lineWords; part++) {
      const word = z * lineWords + part;
      const here = load<u64>(nonZero + 8 * word);
      const behind = toBehind > 0 ? load<u64>(nonZero + 8 * (word + lineWords)) : 0;
      const next = part + 1 < lineWords ? load<u64>(nonZero + 8 * (word + 1)) : 0;
      const all = lowBits(min<u32>(64, height - 64 * part));
      const row0 = plane + 64 * part * rowStride;
      const number0 = z * height + 64 * part;
      mixRows(knowsZeros ? here : all, row0, rowStride, rowBytes, number0 * rowWords, rowWords);
      if (knowsZeros) {
        for (let rows = here; rows !== 0; rows &= rows - 1) {
          const known = zeroSums + 8 * (number0 + <u32>ctz(rows)) * rowBlocks;
          zeroSum += load<u32>(known) - load<u32>(known + 8 * rowBlocks);
          zeroCross += load<u32>(known, 4) - load<u32>(known + 8 * rowBlocks, 4);
        }
      }
      const look = knowsZeros ? here | behind | (here >> 1) | (next << 63) : all;
      let rowsX: u64 = 0;
      let rowsY: u64 = 0;
      let rowsZ: u64 = 0;
      for (let first: u32 = 0; first < width; first += 64) {
        const present = lowBits(min<u32>(64, width - first));
        // A row's last element has no neighbour along x.
        const pairs = width - first <= 64 ? present >> 1 : present;
        for (let rows = look; rows !== 0; rows &= rows - 1) {
          const y: u32 = 64 * part + <u32>ctz(rows);
          const bit = rows & -rows;
          const p = plane + y * rowStride + first * sizeof<T>();
          const alongX = differences<T>(p, p + sizeof<T>()) & pairs;
          const alongY = differences<T>(p, p + (y + 1 < height ? rowStride : 0)) & present;
          const alongZ = differences<T>(p, p + toBehind) & present;
          changesX += <u32>popcnt(alongX);
          changesY += <u32>popcnt(alongY);
          changesZ += <u32>popcnt(alongZ);
          if (alongX !== 0) rowsX |= bit;
          if (alongY !== 0) rowsY |= bit;
          if (alongZ !== 0) rowsZ |= bit;
        }
      }
      store<u64>(changingX + 8 * word, rowsX);
      store<u64>(changingY + 8 * word, rowsY);
      for (; rowsZ !== 0; rowsZ &= rowsZ - 1) {
        const own = changingZ + 8 * ((64 * part + <u32>ctz(rowsZ)) * columnWords + (z >> 6));
        store<u64>(own, load<u64>(own) | ((<u64>1) << (z & 63)));
      }
    }
  }
  if (knowsZeros) {
    zeroSum += load<u32>(zeroSums + 8 * blocks);
    zeroCross += load<u32>(zeroSums + 8 * blocks, 4);
  }
  store<u32>(to, changesX);
  store<u32>(to, changesY, 4);
  store<u32>(to, changesZ, 8);
  store<u32>(to, checksumSum() + zeroSum, 12);
  store<u32>(to, checksumCross() + zeroCross, 16);
}

function addZeroSums(blocks: u32): void {
  for (; knownBlocks < blocks; knownBlocks++) {
    startChecksum();
    mixRows(1, zeros, 0, 64, 16 * knownBlocks, 16);
    const known = zeroSums + 8 * knownBlocks;
    store<u32>(known, load<u32>(known) + checksumSum(), 8);
    store<u32>(known, load<u32>(known, 4) + checksumCross(), 12);
  }
}
