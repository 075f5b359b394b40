import moduleBytes from '../../assembly/checksum/index.ts?assembly';
import { lazyModule } from '../shared/wasm-module.ts';

/** Bytes copied into the module's memory at a time, few enough that they are still in the cache when they are mixed. */
const pieceBytes = 2 ** 15;
/** Bytes past the rows that the module may read. */
const slack = 16;

const checksumModule = lazyModule<'checksum'>(moduleBytes);

/** `checksum` by src/assembly/checksum. Undefined without WebAssembly. */
export function checksumInWasm(
  bytes: Uint8Array,
  rowLength: number,
  firstWord: number,
): { sum: number; cross: number } | undefined {
  const module = checksumModule();
  if (!module) return undefined;
  // Rows of whole words are one long row.
  const isOneRow = rowLength % 4 === 0 || rowLength >= bytes.byteLength;
  const step = isOneRow ? pieceBytes : rowLength * Math.max(1, Math.floor(pieceBytes / rowLength));
  const { memory, at } = module.room(Math.min(step, bytes.byteLength) + slack, 8);
  const [from, to] = at as [number, number];
  const results = new Uint32Array(memory.buffer, to, 2);
  let sum = 0;
  let cross = 0;
  let word = firstWord;
  for (let start = 0; start < bytes.byteLength; start += step) {
    const piece = bytes.subarray(start, start + step);
    memory.set(piece, from);
    const inRow = isOneRow ? piece.byteLength : rowLength;
    const wholeRows = Math.floor(piece.byteLength / inRow);
    const add = (at: number, rowBytes: number, rows: number) => {
      module.call('checksum', at, rowBytes, rows, word, to);
      sum = (sum + (results[0] as number)) | 0;
      cross = (cross + (results[1] as number)) | 0;
      word += Math.ceil(rowBytes / 4) * rows;
    };
    add(from, inRow, wholeRows);
    const rest = piece.byteLength - wholeRows * inRow;
    if (rest > 0) add(from + wholeRows * inRow, rest, 1);
  }
  return { sum: sum >>> 0, cross: cross >>> 0 };
}
