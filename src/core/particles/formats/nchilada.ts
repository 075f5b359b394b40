import type { FileTree } from '../../io/common/file-tree.ts';
import type { ByteSource } from '../../shared/bytes.ts';
import { inContext, StriaError } from '../../shared/errors.ts';
import type { JobOptions } from '../../shared/job.ts';
import type { ParticleGroup, ParticleSet } from '../particles.ts';
import { readExactly, viewOf } from './exact-reads.ts';

// NChilada (N-Body Shop): a folder with a folder for each kind of particles, and in it a big-endian XDR file for each attribute.

const families = ['gas', 'dark', 'star'] as const;
/** The names that ChaNGa and older programs give an attribute. */
const attributes = {
  position: ['pos', 'position'],
  mass: ['mass'],
  smoothing: ['smoothlength', 'hsmooth', 'smooth'],
} as const;

const magic = 1062053;
const headerLength = 28;
/** A header that claims more particles at one position is damaged: nothing else in the file would bound the work. */
const mostAtOnePlace = 2 ** 20;
/** Codes of the types that attributes of physical values have. */
const floatBytes: Readonly<Record<number, 4 | 8>> = { 9: 4, 10: 8 };

/** One attribute of all particles of a kind. */
interface Field {
  readonly count: number;
  /** `count × dimensions` values from particle `first` on. */
  read(first: number, count: number, job: JobOptions): Promise<Float64Array>;
}

/** @throws StriaError `unsupported` for a folder without particles; `corrupt`, `not-readable`, `aborted` */
export async function openNchilada(tree: FileTree, job: JobOptions): Promise<ParticleSet> {
  const groups: ParticleGroup[] = [];
  for (const family of families) {
    const positions = await findField(tree, family, 'position', 3, job);
    if (!positions) continue;
    const masses = await findField(tree, family, 'mass', 1, job);
    const smoothing = await findField(tree, family, 'smoothing', 1, job);
    for (const [name, field] of [
      ['mass', masses],
      ['smoothlength', smoothing],
    ] as const) {
      if (field && field.count !== positions.count) {
        throw new StriaError('corrupt', `${family}/${name} has ${field.count} values for ${positions.count} particles`);
      }
    }
    groups.push({
      name: family,
      count: positions.count,
      lacksMasses: masses ? undefined : `the file ${family}/mass`,
      lacksRadii: smoothing ? undefined : `the file ${family}/smoothlength`,
      async read(first, count, request, options) {
        const radii = request.radii ? await smoothing?.read(first, count, options) : undefined;
        return {
          positions: await positions.read(first, count, options),
          masses: request.masses ? await masses?.read(first, count, options) : undefined,
          // The kernel reaches to twice the smoothing length.
          radii: radii?.map((length) => 2 * length),
        };
      },
    });
  }
  if (groups.length === 0) {
    throw new StriaError(
      'unsupported',
      'the folder does not hold NChilada particles: it has none of gas/pos, dark/pos and star/pos',
    );
  }
  return { format: 'NChilada', groups, box: undefined };
}

async function findField(
  tree: FileTree,
  family: string,
  attribute: keyof typeof attributes,
  dimensions: 1 | 3,
  job: JobOptions,
): Promise<Field | undefined> {
  for (const name of attributes[attribute]) {
    const path = `${family}/${name}`;
    const source = await tree.find(path);
    if (!source) continue;
    try {
      return await openField(source, dimensions, job);
    } catch (error) {
      throw inContext(path, error);
    }
  }
  return undefined;
}

/** Header: magic, time, number of particles, dimensions, type; then the smallest and the largest value; then the values. */
async function openField(source: ByteSource, dimensions: 1 | 3, job: JobOptions): Promise<Field> {
  const head = await readExactly(source, 0, headerLength, job);
  const view = viewOf(head);
  if (view.getInt32(0) !== magic) throw new StriaError('corrupt', 'it is not an NChilada attribute file');
  const count = Number(view.getBigUint64(12));
  const [axes, code] = [view.getUint32(20), view.getUint32(24)];
  if (axes !== dimensions) throw new StriaError('corrupt', `it has ${axes} values per particle, not ${dimensions}`);
  const width = floatBytes[code];
  if (!width) throw new StriaError('unsupported', `its values have the type ${code}; Stria reads 9 (float) and 10 (double)`);
  const valueLength = dimensions * width;
  const start = headerLength + 2 * valueLength;
  const range = doublesOf(await readExactly(source, headerLength, 2 * valueLength, job), width);
  // If all values are the same, they are not stored.
  const isConstant = range.slice(0, dimensions).every((least, axis) => least === range[dimensions + axis]);
  if (isConstant && dimensions === 3 && count > mostAtOnePlace) {
    throw new StriaError('corrupt', `its header says that ${count} particles are at one position`);
  }
  if (!isConstant && (!Number.isSafeInteger(count) || source.size !== start + count * valueLength)) {
    throw new StriaError(
      'corrupt',
      `its header promises ${count} particles, ${start + count * valueLength} bytes; it has ${source.size}`,
    );
  }
  return {
    count,
    async read(first, wanted, options) {
      if (isConstant) return Float64Array.from({ length: wanted * dimensions }, (_, at) => range[at % dimensions] as number);
      return doublesOf(await readExactly(source, start + first * valueLength, wanted * valueLength, options), width);
    },
  };
}

function doublesOf(bytes: Uint8Array, width: 4 | 8): Float64Array {
  const view = viewOf(bytes);
  const values = new Float64Array(bytes.byteLength / width);
  for (let at = 0; at < values.length; at++) values[at] = width === 4 ? view.getFloat32(4 * at) : view.getFloat64(8 * at);
  return values;
}
