import { type Attributes, numberOf, numbersOf, readAttributes } from '../../io/hdf5/h5-attributes.ts';
import { type H5Dataset, readDataset } from '../../io/hdf5/h5-datasets.ts';
import { H5File } from '../../io/hdf5/h5-file.ts';
import { readBox } from '../../io/hdf5/h5-grid.ts';
import { typeOf } from '../../io/hdf5/h5-types.ts';
import type { ByteSource } from '../../shared/bytes.ts';
import { StriaError } from '../../shared/errors.ts';
import type { JobOptions } from '../../shared/job.ts';
import type { ParticleBox, ParticleGroup, ParticleSet } from '../particles.ts';

// Snapshots of GADGET, AREPO, GIZMO and SWIFT in HDF5: /Header with attributes, /PartType0 (gas) to /PartType6.

const typeCount = 7;

/** SWIFT's `Kernel gamma` of the cubic spline, for snapshots that do not state it. */
const cubicSplineGamma = 1.825742;

/** @throws StriaError `unsupported` for another HDF5 file; `corrupt`, `not-readable`, `aborted` */
export async function openGadget(source: ByteSource, job: JobOptions): Promise<ParticleSet> {
  const file = await H5File.open(source, job);
  try {
    const names = await namesIn(file, '/', job);
    const header: Attributes = names.includes('Header') ? await readAttributes(file, '/Header', job) : new Map();
    const scheme: Attributes = names.includes('HydroScheme') ? await readAttributes(file, '/HydroScheme', job) : new Map();
    const swiftRadius = numberOf(scheme.get('Kernel gamma')) ?? cubicSplineGamma;
    const massTable = numbersOf(header.get('MassTable')) ?? [];
    const groups: ParticleGroup[] = [];
    for (let type = 0; type < typeCount; type++) {
      const name = `PartType${type}`;
      if (names.includes(name)) groups.push(await openType(file, name, massTable[type] ?? 0, swiftRadius, job));
    }
    if (groups.length === 0) {
      throw new StriaError('unsupported', 'the HDF5 file is not a GADGET snapshot: it has no group PartType0 to PartType6');
    }
    const fileCount = numberOf(header.get('NumFilesPerSnapshot'));
    return { format: 'GADGET HDF5', groups, box: boxOf(header), fileCount, close: () => file.close() };
  } catch (error) {
    file.close();
    throw error;
  }
}

function namesIn(file: H5File, path: string, job: JobOptions): Promise<readonly string[]> {
  return file.call(({ module }) => module.get_names(file.id, path, false), job, `the group ${path} cannot be listed`);
}

/** GADGET writes one length, SWIFT three. */
function boxOf(header: Attributes): ParticleBox | undefined {
  const size = header.get('BoxSize');
  const one = numberOf(size);
  const [x, y, z] = numbersOf(size) ?? (one === undefined ? [] : [one, one, one]);
  if (x === undefined || y === undefined || z === undefined || !(Math.min(x, y, z) > 0)) return undefined;
  return { origin: [0, 0, 0], lengths: [x, y, z] };
}

/** @param swiftRadius where the kernel becomes zero, in SWIFT's smoothing lengths */
async function openType(
  file: H5File,
  name: string,
  tableMass: number,
  swiftRadius: number,
  job: JobOptions,
): Promise<ParticleGroup> {
  const names = await namesIn(file, `/${name}`, job);
  const field = async (wanted: readonly string[], axes: 1 | 3): Promise<H5Dataset | undefined> => {
    const found = wanted.find((one) => names.includes(one));
    const dataset = found === undefined ? undefined : await readDataset(file, `/${name}/${found}`, job);
    if (dataset) checkDataset(dataset, axes);
    return dataset;
  };
  const positions = await field(['Coordinates', 'Position'], 3);
  if (!positions) throw new StriaError('corrupt', `${name} has no dataset Coordinates`);
  const count = positions.shape[0] as number;
  const masses = await field(['Masses', 'Mass'], 1);
  const ofGadget = await field(['SmoothingLength'], 1);
  const smoothing = ofGadget ?? (await field(['SmoothingLengths'], 1));
  // GADGET's smoothing length is where the kernel becomes zero; SWIFT's is its full width at half maximum.
  const radius = ofGadget ? 1 : swiftRadius;
  for (const other of [masses, smoothing]) {
    if (other && other.shape[0] !== count) {
      throw new StriaError('corrupt', `${other.path} has ${other.shape[0]} values for ${count} particles`);
    }
  }
  return {
    name,
    count,
    // A mass in the table applies to all particles of the type.
    lacksMasses: masses || tableMass > 0 ? undefined : `the dataset ${name}/Masses, and MassTable has none`,
    lacksRadii: smoothing ? undefined : `the dataset ${name}/SmoothingLength`,
    async read(first, wanted, request, options) {
      return {
        positions: await valuesOf(file, positions, first, wanted, options),
        masses: !request.masses
          ? undefined
          : masses
            ? await valuesOf(file, masses, first, wanted, options)
            : new Float64Array(wanted).fill(tableMass),
        radii:
          request.radii && smoothing
            ? (await valuesOf(file, smoothing, first, wanted, options)).map((length) => radius * length)
            : undefined,
      };
    },
  };
}

function checkDataset({ path, problem, shape, metadata }: H5Dataset, axes: 1 | 3): void {
  if (shape[0] === 0) return;
  if (problem !== undefined) throw new StriaError('unsupported', `${path}: ${problem}`);
  if (typeOf(metadata)?.type !== 'f32' && typeOf(metadata)?.type !== 'f64') {
    throw new StriaError('unsupported', `${path} does not hold floating-point numbers`);
  }
  const isRight =
    axes === 3 ? shape.length === 2 && shape[1] === 3 : shape.length === 1 || (shape.length === 2 && shape[1] === 1);
  if (!isRight) throw new StriaError('corrupt', `${path} has the shape ${shape.join(' × ')}, which does not fit particles`);
}

async function valuesOf(file: H5File, dataset: H5Dataset, first: number, count: number, job: JobOptions): Promise<Float64Array> {
  const type = typeOf(dataset.metadata);
  if (!type) throw new StriaError('internal', `${dataset.path} was not checked`);
  const others = dataset.shape.slice(1);
  const box = await readBox(file, dataset, type, [first, ...others.map(() => 0)], [count, ...others], job);
  return new Float64Array(box);
}
