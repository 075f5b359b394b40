import { RandomStream } from './random.ts';
import type { SampleArray, SampleShape, SliceFiller } from './slice-filler.ts';

/** An ellipsoid in a cube of −1 to 1 (x to the right, y to the front, z upwards), rotated about z. */
interface Tissue {
  readonly centre: readonly [x: number, y: number, z: number];
  readonly radii: readonly [x: number, y: number, z: number];
  readonly turnDegrees: number;
  /** Brightness as a fraction of the largest value. A later tissue covers an earlier one. */
  readonly brightness: number;
  /** The amplitude of the surface's waves, as a fraction of the radius: the folds of the brain. */
  readonly folds: number;
}

const tissue = (
  centre: Tissue['centre'],
  radii: Tissue['radii'],
  brightness: number,
  { turnDegrees = 0, folds = 0 } = {},
): Tissue => ({ centre, radii, brightness, turnDegrees, folds });

/** A head: skin, skull, fluid, grey and white matter, ventricles, deep nuclei, eyes. Based on Shepp and Logan (1974). */
const head: readonly Tissue[] = [
  tissue([0, 0, 0], [0.72, 0.93, 0.88], 0.72),
  tissue([0, 0.01, 0], [0.67, 0.87, 0.83], 0.12),
  tissue([0, 0.01, 0], [0.63, 0.83, 0.79], 0.22),
  tissue([0, 0.01, 0.02], [0.59, 0.79, 0.73], 0.46, { folds: 0.045 }),
  tissue([0.28, 0.01, 0.03], [0.24, 0.64, 0.58], 0.62, { folds: 0.16 }),
  tissue([-0.28, 0.01, 0.03], [0.24, 0.64, 0.58], 0.62, { folds: 0.16 }),
  tissue([0, -0.02, -0.02], [0.2, 0.42, 0.2], 0.62),
  tissue([0.11, 0.02, 0.08], [0.06, 0.33, 0.12], 0.18, { turnDegrees: -12 }),
  tissue([-0.11, 0.02, 0.08], [0.06, 0.33, 0.12], 0.18, { turnDegrees: 12 }),
  tissue([0.2, 0.08, -0.02], [0.09, 0.16, 0.12], 0.5, { turnDegrees: -20 }),
  tissue([-0.2, 0.08, -0.02], [0.09, 0.16, 0.12], 0.5, { turnDegrees: 20 }),
  tissue([0, -0.5, -0.5], [0.36, 0.24, 0.2], 0.52, { folds: 0.06 }),
  tissue([0.27, 0.76, -0.28], [0.13, 0.13, 0.13], 0.28),
  tissue([-0.27, 0.76, -0.28], [0.13, 0.13, 0.13], 0.28),
  tissue([0.24, -0.22, 0.3], [0.08, 0.1, 0.09], 0.85),
];

/** Receiver noise as in MR, as a fraction of the largest value. */
const airNoise = 0.012;
const tissueNoise = 0.022;

/** The largest number below a half. `floor(v + almostHalf)` is `round(v)` for every v here, without its branch, which noise makes slow. */
const almostHalf = 0.49999999999999994;

/**
 * A head as in an MR scan: ellipsoids of tissue, shading over the whole field, noise in the tissue, and little noise in the
 * surrounding air (not zeros, because scanners produce none).
 */
export function createPhantom({ dims, maximum, seed }: SampleShape): SliceFiller {
  const [width, height, depth] = dims;
  const place = (index: number, length: number) => ((index + 0.5) / length) * 2 - 1;
  const shadingX = Float32Array.from({ length: width }, (_, x) => 1 - 0.12 * Math.cos(1.4 * place(x, width) + 0.5) ** 2);
  const row = new Float32Array(width);
  const numbers = new Float64Array(2 * width);

  return (z, slice) => {
    const random = new RandomStream(seed, z);
    const v = place(z, depth);
    for (let y = 0; y < height; y++) {
      const u = place(y, height);
      row.fill(0);
      random.fill(numbers);
      for (const each of head) fillInside(row, each, u, v);
      const shading = 1.05 - 0.1 * Math.cos(1.1 * u - 0.3) ** 2 - 0.06 * v;
      scanRow(slice.subarray(y * width, (y + 1) * width), row, shadingX, shading, numbers, maximum);
    }
  };
}

/** Computes a row's voxels from the brightness of its tissues. @param numbers two uniform numbers for each voxel */
function scanRow(
  voxels: SampleArray,
  tissues: Float32Array,
  shadingX: Float32Array,
  shading: number,
  numbers: Float64Array,
  maximum: number,
): void {
  for (let x = 0; x < voxels.length; x++) {
    const brightness = tissues[x] as number;
    // The sum of two uniform numbers is close enough to a scan's noise, and cheap.
    const noise = (numbers[2 * x] as number) + (numbers[2 * x + 1] as number) - 1;
    const signal =
      brightness === 0
        ? airNoise * Math.abs(noise) * 2
        : brightness * shading * (shadingX[x] as number) * 1.15 + tissueNoise * noise * 1.5;
    voxels[x] = Math.min(maximum, Math.max(0, Math.floor(signal * maximum + almostHalf)));
  }
}

/** Sets the row's voxels inside the tissue: an ellipsoid intersects a row in one section, from a quadratic equation. */
function fillInside(row: Float32Array, { centre, radii, turnDegrees, brightness, folds }: Tissue, u: number, v: number): void {
  const wave = folds === 0 ? 1 : 1 + folds * Math.sin(31 * u + 9 * v) * Math.sin(27 * v - 11 * u);
  const dz = (v - centre[2]) / (radii[2] * wave);
  const rest = 1 - dz * dz;
  if (rest <= 0) return;
  const turn = (turnDegrees * Math.PI) / 180;
  const cos = Math.cos(turn);
  const sin = Math.sin(turn);
  const rx = radii[0] * wave;
  const ry = radii[1] * wave;
  const dy = u - centre[1];
  // ((x cos + dy sin) / rx)² + ((dy cos − x sin) / ry)² = rest, as a x² + 2 b x + c = 0
  const a = (cos / rx) ** 2 + (sin / ry) ** 2;
  const b = dy * sin * cos * (1 / rx ** 2 - 1 / ry ** 2);
  const c = dy * dy * ((sin / rx) ** 2 + (cos / ry) ** 2) - rest;
  const discriminant = b * b - a * c;
  if (discriminant <= 0) return;
  const half = Math.sqrt(discriminant) / a;
  const middle = centre[0] - b / a;
  const toIndex = (x: number) => Math.round(((x + 1) / 2) * row.length);
  row.fill(brightness, Math.max(0, toIndex(middle - half)), Math.max(0, toIndex(middle + half)));
}
