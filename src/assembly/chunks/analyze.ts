import { differences, lowBits } from '../common/bits';
import { checksumCross, checksumSum, mixRow, startChecksum } from '../common/checksum';
import { nonZeroRows, rowsChangingX, rowsChangingY, rowsChangingZ, setWords } from '../common/row-sets';

/** The checksums of the first 0, 16, 32 … words if all are 0: `sum` and `cross`, 4 bytes each. Enough for 64³ elements of 4 bytes. */
const mostBlocks: u32 = 1 << 14;
const zeroSums: usize = memory.data(8 * ((1 << 14) + 1), 16);
let knownBlocks: u32 = 0;
const zeros: usize = memory.data(64 + 16, 16);

/** As `analyze` in index.ts. Only rows that are not zero, and those beside them, are looked at. */
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
      const rows = min<u32>(64, height - 64 * part);
      let look = knowsZeros ? here | behind | (here >> 1) | (next << 63) : lowBits(rows);
      let rowsX: u64 = 0;
      let rowsY: u64 = 0;
      for (; look !== 0; look &= look - 1) {
        const bit = ctz(look);
        const y: u32 = 64 * part + <u32>bit;
        const row = plane + y * rowStride;
        const number = z * height + y;
        if (!knowsZeros) mixRow(row, rowBytes, number * rowWords);
        else if (((here >> bit) & 1) !== 0) {
          mixRow(row, rowBytes, number * rowWords);
          const known = zeroSums + 8 * number * rowBlocks;
          zeroSum += load<u32>(known) - load<u32>(known + 8 * rowBlocks);
          zeroCross += load<u32>(known, 4) - load<u32>(known + 8 * rowBlocks, 4);
        }
        const toBelow = y + 1 < height ? rowStride : 0;
        const beforeX = changesX;
        const beforeY = changesY;
        const beforeZ = changesZ;
        for (let first: u32 = 0; first < width; first += 64) {
          const p = row + first * sizeof<T>();
          const isLast = width - first <= 64;
          const present = lowBits(min<u32>(64, width - first));
          // A row's last element has no neighbour along x.
          changesX += <u32>popcnt(differences<T>(p, p + sizeof<T>()) & (isLast ? present >> 1 : present));
          changesY += <u32>popcnt(differences<T>(p, p + toBelow) & present);
          changesZ += <u32>popcnt(differences<T>(p, p + toBehind) & present);
        }
        rowsX |= <u64>(changesX !== beforeX) << bit;
        rowsY |= <u64>(changesY !== beforeY) << bit;
        if (changesZ !== beforeZ) {
          const own = changingZ + 8 * (y * columnWords + (z >> 6));
          store<u64>(own, load<u64>(own) | ((<u64>1) << (z & 63)));
        }
      }
      store<u64>(changingX + 8 * word, rowsX);
      store<u64>(changingY + 8 * word, rowsY);
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
    mixRow(zeros, 64, 16 * knownBlocks);
    const known = zeroSums + 8 * knownBlocks;
    store<u32>(known, load<u32>(known) + checksumSum(), 8);
    store<u32>(known, load<u32>(known, 4) + checksumCross(), 12);
  }
}
