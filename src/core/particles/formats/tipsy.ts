import type { ByteSource } from '../../shared/bytes.ts';
import { StriaError } from '../../shared/errors.ts';
import type { JobOptions } from '../../shared/job.ts';
import type { ParticleGroup, ParticleSet } from '../particles.ts';
import { readExactly, viewOf } from './exact-reads.ts';

// Tipsy (N-Body Shop, University of Washington): a header, then records of gas, dark matter and stars. "Standard" files are
// big-endian XDR, "native" ones have the byte order of the machine that wrote them.

interface TipsyHeader {
  readonly littleEndian: boolean;
  /** Gas, dark matter, stars. */
  readonly counts: readonly [number, number, number];
}

const names = ['gas', 'dark', 'star'] as const;
/** Numbers in a record of each kind. The first is the mass, then come position and velocity, three each. */
const recordNumbers = [12, 9, 11] as const;
/** Index of the smoothing length in a gas record: mass, position, velocity, density, temperature, smoothing length. */
const smoothingNumber = 9;
/** A C structure is padded to whole doubles; some old native files are not. */
const headerLengths = [32, 28] as const;

/** The header, read in the byte order in which it is plausible. Undefined if it is not a Tipsy header. */
function headerOf(head: Uint8Array): TipsyHeader | undefined {
  if (head.byteLength < 28) return undefined;
  const view = viewOf(head);
  for (const littleEndian of [false, true]) {
    const [total = 0, axes, gas = 0, dark = 0, star = 0] = [8, 12, 16, 20, 24].map((at) => view.getUint32(at, littleEndian));
    if (axes === 3 && gas + dark + star === total) return { littleEndian, counts: [gas, dark, star] };
  }
  return undefined;
}

export function isTipsy(head: Uint8Array): boolean {
  return headerOf(head) !== undefined;
}

/**
 * Opens a Tipsy file: standard or native, with positions (and velocities) of 32 or 64 bits. The file's size tells them apart.
 * @throws StriaError `corrupt` if the size fits none of them
 */
export async function openTipsy(source: ByteSource, job: JobOptions): Promise<ParticleSet> {
  const header = headerOf(await source.read(0, 32, job));
  if (!header) throw new StriaError('corrupt', 'this is not a Tipsy file');
  const { counts, littleEndian } = header;
  const layout = layoutOf(source, counts);
  let start = layout.headerLength;
  const groups = names.map((name, kind): ParticleGroup => {
    const count = counts[kind] as number;
    const length = layout.recordLengths[kind] as number;
    const groupStart = start;
    start += count * length;
    return {
      name,
      count,
      lacksMasses: undefined,
      lacksRadii: name === 'gas' ? undefined : 'them: in Tipsy only gas has them; --species gas takes gas alone',
      async read(first, wanted, request, options) {
        const bytes = await readExactly(source, groupStart + first * length, wanted * length, options);
        const view = viewOf(bytes);
        const positions = new Float64Array(3 * wanted);
        const masses = request.masses ? new Float64Array(wanted) : undefined;
        const radii = request.radii ? new Float64Array(wanted) : undefined;
        const { positionBytes } = layout;
        const smoothingAt = 4 + 3 * layout.positionBytes + 3 * layout.velocityBytes + 4 * (smoothingNumber - 7);
        for (let at = 0, record = 0; at < wanted; at++, record += length) {
          if (masses) masses[at] = view.getFloat32(record, littleEndian);
          for (let axis = 0; axis < 3; axis++) {
            const place = record + 4 + axis * positionBytes;
            positions[3 * at + axis] =
              positionBytes === 4 ? view.getFloat32(place, littleEndian) : view.getFloat64(place, littleEndian);
          }
          // The kernel reaches to twice the smoothing length.
          if (radii) radii[at] = 2 * view.getFloat32(record + smoothingAt, littleEndian);
        }
        return { positions, masses, radii };
      },
    };
  });
  return { format: littleEndian ? 'Tipsy (native)' : 'Tipsy (standard)', groups, box: undefined };
}

interface TipsyLayout {
  readonly headerLength: number;
  readonly positionBytes: 4 | 8;
  readonly velocityBytes: 4 | 8;
  readonly recordLengths: readonly number[];
}

function layoutOf({ size }: ByteSource, counts: readonly number[]): TipsyLayout {
  const layouts = headerLengths.flatMap((headerLength) =>
    (
      [
        [4, 4],
        [8, 4],
        [8, 8],
      ] as const
    ).map(([positionBytes, velocityBytes]): TipsyLayout => {
      const more = 3 * (positionBytes - 4) + 3 * (velocityBytes - 4);
      return { headerLength, positionBytes, velocityBytes, recordLengths: recordNumbers.map((numbers) => 4 * numbers + more) };
    }),
  );
  const sizeOf = ({ headerLength, recordLengths }: TipsyLayout) =>
    recordLengths.reduce((sum, length, kind) => sum + length * (counts[kind] as number), headerLength);
  const found = layouts.find((layout) => sizeOf(layout) === size);
  if (found) return found;
  const [gas, dark, star] = counts;
  const expected = sizeOf(layouts[0] as TipsyLayout);
  throw new StriaError(
    'corrupt',
    `the header promises ${gas} gas, ${dark} dark and ${star} star particles, which take ${expected} bytes; the file has ${size}`,
  );
}
