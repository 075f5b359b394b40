import { hdf5File } from '../../io/hdf5/h5-testing.ts';

// Files of particles for tests.

/** x, y, z of each particle; masses; smoothing lengths, or none. */
export interface TestGroup {
  readonly positions: readonly number[];
  readonly masses: readonly number[];
  readonly smoothing: readonly number[];
}

export interface TipsyOptions {
  readonly littleEndian?: boolean;
  readonly doublePositions?: boolean;
  readonly doubleVelocities?: boolean;
  readonly headerLength?: number;
}

/** Numbers of a record after position and velocity: of gas, dark matter and stars. */
const furtherNumbers = [5, 2, 4] as const;
/** Further numbers of a gas record: density, temperature, smoothing length. */
const smoothingNumber = 2;

/** @param groups gas, dark matter, stars */
export function tipsyBytes(
  groups: readonly TestGroup[],
  { littleEndian = false, doublePositions = false, doubleVelocities = false, headerLength = 32 }: TipsyOptions = {},
): Uint8Array {
  const numbers: { value: number; bytes: 4 | 8 }[] = [];
  const put = (value: number, bytes: 4 | 8 = 4) => numbers.push({ value, bytes });
  for (const [kind, { positions, masses, smoothing }] of groups.entries()) {
    for (const [at, mass] of masses.entries()) {
      put(mass);
      for (const value of positions.slice(3 * at, 3 * at + 3)) put(value, doublePositions ? 8 : 4);
      for (let axis = 0; axis < 3; axis++) put(-99, doubleVelocities ? 8 : 4);
      for (let number = 0; number < (furtherNumbers[kind] as number); number++) {
        put(kind === 0 && number === smoothingNumber ? (smoothing[at] as number) : -77);
      }
    }
  }
  const bytes = new Uint8Array(numbers.reduce((sum, number) => sum + number.bytes, headerLength));
  const view = new DataView(bytes.buffer);
  const counts = groups.map(({ masses }) => masses.length);
  view.setFloat64(0, 0.5, littleEndian);
  view.setUint32(
    8,
    counts.reduce((sum, count) => sum + count, 0),
    littleEndian,
  );
  view.setUint32(12, 3, littleEndian);
  for (const [kind, count] of counts.entries()) view.setUint32(16 + 4 * kind, count, littleEndian);
  let at = headerLength;
  for (const { value, bytes: width } of numbers) {
    if (width === 4) view.setFloat32(at, value, littleEndian);
    else view.setFloat64(at, value, littleEndian);
    at += width;
  }
  return bytes;
}

/** An attribute of NChilada. @param code 9 for floats, 10 for doubles */
export function nchiladaField(values: readonly number[], dimensions: number, code = 9): Uint8Array {
  const width = code === 10 ? 8 : 4;
  const columns = Array.from({ length: dimensions }, (_, axis) => values.filter((_value, at) => at % dimensions === axis));
  const all = [...columns.map((column) => Math.min(...column)), ...columns.map((column) => Math.max(...column)), ...values];
  const bytes = new Uint8Array(28 + all.length * width);
  const view = new DataView(bytes.buffer);
  view.setInt32(0, 1062053);
  view.setFloat64(4, 0.5);
  view.setBigUint64(12, BigInt(values.length / dimensions));
  view.setUint32(20, dimensions);
  view.setUint32(24, code);
  for (const [at, value] of all.entries()) {
    if (width === 4) view.setFloat32(28 + 4 * at, value);
    else view.setFloat64(28 + 8 * at, value);
  }
  return bytes;
}

/** The attributes of a kind of particles, by path. */
export function nchiladaFiles(family: string, { positions, masses, smoothing }: TestGroup, code = 9): Record<string, Uint8Array> {
  return {
    [`${family}/pos`]: nchiladaField(positions, 3, code),
    [`${family}/mass`]: nchiladaField(masses, 1, code),
    ...(smoothing.length > 0 && { [`${family}/smoothlength`]: nchiladaField(smoothing, 1, code) }),
  };
}

/** A GADGET snapshot. A type whose masses all come from the table has no dataset of masses. @param types by number */
export function gadgetBytes(
  types: Readonly<Record<number, TestGroup>>,
  {
    boxSize,
    tableMass = 0,
    fileCount,
    swiftGamma,
  }: { readonly boxSize?: number; readonly tableMass?: number; readonly fileCount?: number; readonly swiftGamma?: number },
): Promise<Uint8Array> {
  return hdf5File((file) => {
    const header = file.create_group('Header');
    if (boxSize !== undefined) header.create_attribute('BoxSize', boxSize, null, '<d');
    if (fileCount !== undefined) header.create_attribute('NumFilesPerSnapshot', fileCount, null, '<i');
    if (swiftGamma !== undefined) {
      file.create_group('HydroScheme').create_attribute('Kernel gamma', [swiftGamma], [1], '<f');
    }
    header.create_attribute('MassTable', [0, tableMass, 0, 0, 0, 0], [6], '<d');
    for (const [number, { positions, masses, smoothing }] of Object.entries(types)) {
      const group = file.create_group(`PartType${number}`);
      const shape = [masses.length, 3];
      group.create_dataset({ name: 'Coordinates', data: Float64Array.from(positions), shape, dtype: '<d', chunks: [2, 3] });
      if (number !== '1') {
        group.create_dataset({ name: 'Masses', data: Float32Array.from(masses), shape: [masses.length], dtype: '<f' });
      }
      if (smoothing.length > 0) {
        group.create_dataset({
          name: swiftGamma === undefined ? 'SmoothingLength' : 'SmoothingLengths',
          data: Float32Array.from(smoothing),
          shape: [masses.length],
          dtype: '<f',
        });
      }
    }
  });
}

/** An array of NumPy. @param values in the file's order */
export function npyBytes(
  values: readonly number[],
  shape: readonly number[],
  { type = '<f8', isFortran = false }: { readonly type?: '<f8' | '<f4' | '>f4'; readonly isFortran?: boolean } = {},
): Uint8Array {
  const words = `{'descr': '${type}', 'fortran_order': ${isFortran ? 'True' : 'False'}, 'shape': (${shape.join(', ')},), }`;
  const text = `${words.padEnd(117)}\n`;
  const width = type === '<f8' ? 8 : 4;
  const bytes = new Uint8Array(10 + text.length + values.length * width);
  bytes.set([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, text.length, 0]);
  bytes.set(new TextEncoder().encode(text), 10);
  const view = new DataView(bytes.buffer, 10 + text.length);
  for (const [at, value] of values.entries()) {
    if (width === 8) view.setFloat64(8 * at, value, true);
    else view.setFloat32(4 * at, value, type === '<f4');
  }
  return bytes;
}
