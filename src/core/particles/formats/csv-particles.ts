import { isGzip, plainBytes } from '../../io/common/byte-stream.ts';
import type { ByteSource } from '../../shared/bytes.ts';
import { StriaError } from '../../shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../../shared/job.ts';
import type { ParticleSet } from '../particles.ts';
import { readExactly } from './exact-reads.ts';

/** Column names that the first line may have, in upper or lower case. Without names, the columns are in this order. */
const columnNames = {
  x: ['x'],
  y: ['y'],
  z: ['z'],
  mass: ['mass', 'm', 'masses', 'weight'],
  smoothing: ['h', 'hsml', 'smoothing', 'smoothing_length', 'smoothinglength'],
} as const;
type Column = keyof typeof columnNames;
const columnOrder = Object.keys(columnNames) as readonly Column[];

/** Rows from one known offset to the next. */
const blockRows = 2 ** 16;
/** A file with longer lines does not hold particles. */
const maxBlockBytes = 2 ** 28;

const newline = 0x0a;
const hash = 0x23;
/** UTF-8's byte order mark. */
const byteOrderMark = [0xef, 0xbb, 0xbf];

/** Locates rows: the offset and line number of every `blockRows`-th row. */
interface RowIndex {
  readonly rows: number;
  readonly blocks: readonly { readonly offset: number; readonly line: number }[];
}

/**
 * Opens text with a line for each particle: x, y, z and perhaps mass and smoothing length, with commas, semicolons, tabs or blanks
 * between them. Empty lines and those that begin with # are passed over; a first line may name the columns. Reads the file once, to
 * find the rows.
 * @throws StriaError `corrupt` with the line's number, `unsupported`, `not-readable`, `aborted`
 */
export async function openCsvParticles(source: ByteSource, job: JobOptions): Promise<ParticleSet> {
  if (isGzip(await source.read(0, 2, job))) throw new StriaError('unsupported', 'gzipped text is not supported: unpack it');
  const head = new TextDecoder().decode(await source.read(0, 2 ** 16, job)).replace(/^\ufeff/, '');
  const first = head.split('\n').find((line) => isRow(line)) ?? '';
  const firstWords = wordsOf(first);
  const isNamed = firstWords.some((word) => Number.isNaN(Number(word)) && !/^[-+]?(nan|inf)/i.test(word));
  const columns = isNamed ? namedColumns(firstWords) : plainColumns(firstWords.length);
  const index = await indexRows(source, isNamed, job);
  const read = async (block: number, options: JobOptions): Promise<readonly (readonly string[])[]> => {
    const { offset, line } = index.blocks[block] as RowIndex['blocks'][number];
    const end = index.blocks[block + 1]?.offset ?? source.size;
    if (end - offset > maxBlockBytes) throw new StriaError('unsupported', `the lines from ${line} on are too long for particles`);
    const text = new TextDecoder().decode(await readExactly(source, offset, end - offset, options));
    return checkedRows(text, line, columns.width);
  };
  return {
    format: 'CSV',
    box: undefined,
    groups: [
      {
        name: source.name,
        count: index.rows,
        lacksMasses: columns.places.mass === undefined ? 'a column mass' : undefined,
        lacksRadii: columns.places.smoothing === undefined ? 'a column smoothing (or h)' : undefined,
        async read(from, count, request, options) {
          const positions = new Float64Array(3 * count);
          const masses = request.masses ? new Float64Array(count) : undefined;
          const radii = request.radii ? new Float64Array(count) : undefined;
          const { x = 0, y = 1, z = 2, mass = 3, smoothing = 4 } = columns.places;
          for (let block = Math.floor(from / blockRows), at = 0; at < count; block++) {
            const rows = await read(block, options);
            for (let row = Math.max(0, from - block * blockRows); row < rows.length && at < count; row++, at++) {
              const words = rows[row] as readonly string[];
              positions.set([numberOf(words[x]), numberOf(words[y]), numberOf(words[z])], 3 * at);
              if (masses) masses[at] = numberOf(words[mass]);
              // The kernel reaches to twice the smoothing length.
              if (radii) radii[at] = 2 * numberOf(words[smoothing]);
            }
          }
          return { positions, masses, radii };
        },
      },
    ],
  };
}

/** NaN if the word is not a number. The particle's number is reported later. */
function numberOf(word: string | undefined): number {
  return word === undefined || word === '' ? Number.NaN : Number(word);
}

/** Whether a line holds a row. As in `indexRows`, its first character above a blank decides. */
function isRow(line: string): boolean {
  const first = [...line].find((character) => character > ' ');
  return first !== undefined && first !== '#';
}

function wordsOf(line: string): string[] {
  const plain = line.trim();
  const words = /[,;]/.test(plain) ? plain.split(/\s*[,;]\s*/) : plain.split(/\s+/);
  return words.map((word) => word.replace(/^"(.*)"$/, '$1'));
}

interface Columns {
  /** The number of each column. */
  readonly places: Readonly<Partial<Record<Column, number>>>;
  /** The number of columns of a row. */
  readonly width: number;
}

function namedColumns(words: readonly string[]): Columns {
  const places: Partial<Record<Column, number>> = {};
  for (const column of columnOrder) {
    const names: readonly string[] = columnNames[column];
    const place = words.findIndex((word) => names.includes(word.toLowerCase()));
    if (place >= 0) places[column] = place;
  }
  const missing = (['x', 'y', 'z'] as const).find((column) => places[column] === undefined);
  if (missing) {
    throw new StriaError(
      'unsupported',
      `the first line names the columns ${words.join(', ').slice(0, 200)}, but none is called ${missing}`,
    );
  }
  return { places, width: words.length };
}

function plainColumns(width: number): Columns {
  if (width < 3 || width > columnOrder.length) {
    throw new StriaError(
      'unsupported',
      `lines need x, y, z and perhaps mass and smoothing length; the first one has ${width} values. A first line may name the columns`,
    );
  }
  return { places: Object.fromEntries(columnOrder.slice(0, width).map((column, place) => [column, place])), width };
}

function checkedRows(text: string, firstLine: number, width: number): string[][] {
  const rows: string[][] = [];
  for (const [at, line] of text.split('\n').entries()) {
    if (!isRow(line)) continue;
    const words = wordsOf(line);
    if (words.length !== width) {
      throw new StriaError('corrupt', `line ${firstLine + at} has ${words.length} values, not ${width} like the first one`);
    }
    rows.push(words);
  }
  return rows;
}

/** Finds the rows, without their values. */
async function indexRows(source: ByteSource, skipsFirst: boolean, { signal, onProgress }: JobOptions): Promise<RowIndex> {
  const blocks: { offset: number; line: number }[] = [];
  let rows = skipsFirst ? -1 : 0;
  let line = 1;
  /** The first non-blank byte of the line. */
  let firstByte = 0;
  const isMarked = (await source.read(0, byteOrderMark.length, { signal })).every((byte, at) => byte === byteOrderMark[at]);
  const start = isMarked ? byteOrderMark.length : 0;
  let lineStart = start;
  let offset = start;
  const endLine = (end: number) => {
    if (firstByte !== 0 && firstByte !== hash) {
      if (rows >= 0 && rows % blockRows === 0) blocks.push({ offset: lineStart, line });
      rows++;
    }
    line++;
    lineStart = end;
    firstByte = 0;
  };
  for await (const piece of plainBytes(source).pieces(start, { signal, reuse: true })) {
    throwIfAborted(signal);
    for (let at = 0; at < piece.length; at++) {
      const byte = piece[at] as number;
      if (byte === newline) endLine(offset + at + 1);
      else if (firstByte === 0 && byte > 0x20) firstByte = byte;
    }
    offset += piece.length;
    onProgress?.({ stage: 'Reading', done: offset, total: source.size });
  }
  endLine(offset);
  return { rows: Math.max(0, rows), blocks };
}
