import { npyHeaderLimit, parseNpyHeader } from '../../io/npy/npy-header.ts';
import type { ByteSource } from '../../shared/bytes.ts';
import { inContext, StriaError } from '../../shared/errors.ts';
import type { JobOptions } from '../../shared/job.ts';
import { elementBytes, swapBytes, typedVoxels } from '../../shared/volume.ts';
import type { ParticleSet } from '../particles.ts';
import { readExactly } from './exact-reads.ts';

/** The columns of a row: x, y, z, and perhaps mass and smoothing length. */
const mostColumns = 5;

/** A table of numbers whose rows are read in any order. */
interface NpyTable {
  readonly rows: number;
  readonly columns: number;
  /** All columns of some rows, row by row. */
  read(first: number, count: number, job: JobOptions): Promise<Float64Array>;
}

/**
 * Opens an array of NumPy with a row for each particle: x, y, z, and perhaps mass and smoothing length.
 * @param masses an array with a mass for each particle
 * @throws StriaError `unsupported` for other shapes and half floats; `corrupt`, `not-readable`, `aborted`
 */
export async function openNpyParticles(
  source: ByteSource,
  masses: ByteSource | undefined,
  job: JobOptions,
): Promise<ParticleSet> {
  const table = await openTable(source, [3, mostColumns], job);
  let massTable: NpyTable | undefined;
  if (masses) {
    try {
      massTable = await openTable(masses, [1, 1], job);
      if (massTable.rows !== table.rows) {
        throw new StriaError('invalid-input', `it has ${massTable.rows} masses for ${table.rows} particles`);
      }
    } catch (error) {
      throw inContext(masses.name, error);
    }
  }
  const column = (values: Float64Array, number: number) => columnsOf(values, table.columns, number, 1);
  return {
    format: 'NumPy',
    box: undefined,
    groups: [
      {
        name: source.name,
        count: table.rows,
        lacksMasses: massTable || table.columns > 3 ? undefined : 'a fourth column, and --masses names no file',
        lacksRadii: table.columns > 4 ? undefined : 'a fifth column',
        async read(first, count, request, options) {
          const values = await table.read(first, count, options);
          return {
            positions: table.columns === 3 ? values : columnsOf(values, table.columns, 0, 3),
            masses: !request.masses ? undefined : massTable ? await massTable.read(first, count, options) : column(values, 3),
            // The kernel reaches to twice the smoothing length.
            radii: request.radii ? column(values, 4).map((length) => 2 * length) : undefined,
          };
        },
      },
    ],
  };
}

/** Neighbouring columns of rows. A plain loop, because this runs for each of a billion particles. */
function columnsOf(values: Float64Array, columns: number, first: number, count: number): Float64Array {
  const rows = values.length / columns;
  const found = new Float64Array(rows * count);
  for (let row = 0, at = 0; row < rows; row++) {
    for (let column = first; column < first + count; column++) found[at++] = values[row * columns + column] as number;
  }
  return found;
}

async function openTable(source: ByteSource, [least, most]: readonly [number, number], job: JobOptions): Promise<NpyTable> {
  const { dims, type, endian, stored, start, isFortran } = parseNpyHeader(await source.read(0, npyHeaderLimit, job));
  if (stored) throw new StriaError('unsupported', 'half floats are too coarse for particles: save them as float32 or float64');
  const [fast, slow] = dims;
  // In C order rows are contiguous, so the lengths are columns, then rows. In Fortran order columns are contiguous.
  const isList = most === 1 && (slow === 1 || fast === 1);
  const [rows, columns] = isList ? [fast * slow, 1] : isFortran ? [fast, slow] : [slow, fast];
  if (dims[2] !== 1 || dims[3] !== 1 || columns < least || columns > most) {
    const wanted = most === 1 ? 'one value for each particle' : `a row of ${least} to ${most} numbers for each particle`;
    throw new StriaError(
      'unsupported',
      `the array must have ${wanted}; its lengths are ${dims.join(' × ')}, the fastest axis first`,
    );
  }
  const width = elementBytes(type);
  if (source.size < start + rows * columns * width) {
    throw new StriaError('corrupt', `the header promises ${start + rows * columns * width} bytes; the file has ${source.size}`);
  }
  const values = async (first: number, count: number, options: JobOptions) => {
    const bytes = await readExactly(source, start + first * width, count * width, options);
    if (endian === 'big') swapBytes(bytes, width);
    return new Float64Array(typedVoxels(type, bytes));
  };
  return {
    rows,
    columns,
    async read(first, count, options) {
      if (!isFortran || columns === 1) return values(first * columns, count * columns, options);
      const table = new Float64Array(count * columns);
      for (let column = 0; column < columns; column++) {
        const part = await values(column * rows + first, count, options);
        for (let row = 0; row < count; row++) table[row * columns + column] = part[row] as number;
      }
      return table;
    },
  };
}
