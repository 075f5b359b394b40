import { StriaError } from '../shared/errors.ts';
import type { Vector3 } from '../shared/vectors.ts';
import { numberOf } from './numbers.ts';
import { aboutPoint, chained, columnsOf, rotation, shiftOf, type Transform, transformOf, translation } from './transform.ts';

// ITK's transform files in text form, as `itk::TxtTransformIO` reads and writes them. A transform T maps a point of the fixed image to
// the moving image, in LPS coordinates and millimetres: T(p) = M (p − c) + c + t, with the centre c in the fixed parameters.

const signature = '#Insight Transform File';

export function isItkText(text: string): boolean {
  return text.trimStart().startsWith(signature);
}

type Parameters = (parameters: readonly number[], fixed: readonly number[]) => Transform;

interface Kind {
  readonly parameters: number;
  /** Possible numbers of fixed parameters. */
  readonly fixed: readonly number[];
  readonly toTransform: Parameters;
}

const center = (fixed: readonly number[]): Vector3 => [fixed[0] ?? 0, fixed[1] ?? 0, fixed[2] ?? 0];
const vector = (numbers: readonly number[], at: number): Vector3 => [
  numbers[at] ?? 0,
  numbers[at + 1] ?? 0,
  numbers[at + 2] ?? 0,
];

/** A rotation about a centre, followed by a translation. */
function centered(linear: Transform, at: Vector3, by: Vector3): Transform {
  return chained(aboutPoint(linear, at), translation(by));
}

/** A matrix of 9 numbers row by row, then a translation. */
const matrixOffset: Kind = {
  parameters: 12,
  fixed: [3],
  toTransform: (p, fixed) =>
    centered([...p.slice(0, 3), 0, ...p.slice(3, 6), 0, ...p.slice(6, 9), 0], center(fixed), vector(p, 9)),
};

/** ITK's order of rotations is Z X Y, or Z Y X if the fourth fixed parameter says so. The rightmost is applied first. */
const euler: Kind = {
  parameters: 6,
  fixed: [3, 4],
  toTransform: (p, fixed) => {
    const turn = (axis: Vector3, radians: number): Transform => rotation(axis, (radians * 180) / Math.PI);
    const [x, y, z] = [turn([1, 0, 0], p[0] ?? 0), turn([0, 1, 0], p[1] ?? 0), turn([0, 0, 1], p[2] ?? 0)];
    return centered((fixed[3] ?? 0) === 0 ? chained(y, x, z) : chained(x, y, z), center(fixed), vector(p, 3));
  },
};

/** A versor: the vector part of a unit quaternion. */
function versorRotation([x, y, z]: Vector3): Transform {
  const square = x * x + y * y + z * z;
  if (square > 1 + 1e-6) throw new StriaError('corrupt', 'the versor is longer than 1, so it is not a rotation');
  const w = Math.sqrt(Math.max(0, 1 - square));
  return transformOf(
    [
      [1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)],
      [2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)],
      [2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)],
    ],
    [0, 0, 0],
  );
}

const kinds: Readonly<Record<string, Kind>> = {
  MatrixOffsetTransformBase: matrixOffset,
  AffineTransform: matrixOffset,
  Rigid3DTransform: matrixOffset,
  Euler3DTransform: euler,
  VersorRigid3DTransform: {
    parameters: 6,
    fixed: [3],
    toTransform: (p, fixed) => centered(versorRotation(vector(p, 0)), center(fixed), vector(p, 3)),
  },
  Similarity3DTransform: {
    parameters: 7,
    fixed: [3],
    toTransform: (p, fixed) => {
      const linear = versorRotation(vector(p, 0)).map((value) => value * (p[6] ?? 1));
      return centered(linear, center(fixed), vector(p, 3));
    },
  },
  TranslationTransform: { parameters: 3, fixed: [0], toTransform: (p) => translation(vector(p, 0)) },
  IdentityTransform: { parameters: 0, fixed: [0], toTransform: () => translation([0, 0, 0]) },
};

const known = 'translations, rigid, similarity and affine transforms';

/**
 * The transform of a file, in LPS and millimetres, from the fixed image to the moving one.
 * @throws StriaError `corrupt`; `unsupported` if the file does not hold a single linear transform of 3D points
 */
export function readItk(text: string): Transform {
  const lines = text.split(/\r\n|\r|\n/).map((line) => line.trim());
  const fields = lines.flatMap((line) => {
    const found = /^([A-Za-z]+):\s*(.*)$/.exec(line);
    return found ? [{ key: found[1] as string, value: found[2] as string }] : [];
  });
  const names = fields.filter(({ key }) => key === 'Transform').map(({ value }) => value);
  const [name] = names;
  if (name === undefined) throw new StriaError('corrupt', 'the file names no transform');
  if (names.some((each) => each.startsWith('CompositeTransform')))
    throw new StriaError(
      'unsupported',
      'the file holds a composite transform, but Stria reads only single ones. Save its parts in separate files, or as one affine transform',
    );
  if (names.length > 1)
    throw new StriaError(
      'unsupported',
      `the file holds ${names.length} transforms, but Stria reads only one. Save them as one affine transform`,
    );
  const [, kindName = name, dimensions = ''] = /^([A-Za-z0-9]+?)_(?:double|float)_([0-9_]+)$/.exec(name) ?? [];
  const kind = Object.hasOwn(kinds, kindName) ? kinds[kindName] : undefined;
  if (!kind) throw new StriaError('unsupported', `the file holds ${printable(name)}. Stria reads ${known}`);
  if (dimensions !== '3_3') throw new StriaError('unsupported', `the transform ${printable(name)} does not transform 3D points`);
  const parameters = numbersOf(fields, 'Parameters', [kind.parameters]);
  const fixed = numbersOf(fields, 'FixedParameters', kind.fixed);
  return kind.toTransform(parameters, fixed);
}

function numbersOf(
  fields: readonly { readonly key: string; readonly value: string }[],
  key: string,
  counts: readonly number[],
): readonly number[] {
  const [first, second] = fields.filter((field) => field.key === key);
  if (second) throw new StriaError('corrupt', `the file has the line ${key} twice`);
  const words = (first?.value ?? '').split(/\s+/).filter((word) => word !== '');
  if (!counts.includes(words.length))
    throw new StriaError('corrupt', `${key} has ${words.length} numbers instead of ${counts.join(' or ')}`);
  return words.map((word) => numberOf(word, key));
}

function printable(name: string): string {
  return JSON.stringify(name.slice(0, 80));
}

/** Writes an affine transform as a file, in LPS and millimetres, with the centre at the origin. */
export function writeItk(transform: Transform): string {
  const [a, b, c] = columnsOf(transform);
  const rows = ([0, 1, 2] as const).flatMap((row) => [a[row], b[row], c[row]]);
  return [
    `${signature} V1.0`,
    '#Transform 0',
    'Transform: AffineTransform_double_3_3',
    `Parameters: ${[...rows, ...shiftOf(transform)].join(' ')}`,
    'FixedParameters: 0 0 0',
    '',
  ].join('\n');
}

/** Converts a transform of LPS points to one of RAS points, or the other way round: x and y change their signs. */
export function otherLateral(transform: Transform): Transform {
  const signs = [-1, -1, 1, 1];
  return transform.map((value, at) => value * (signs[Math.floor(at / 4)] as number) * (signs[at % 4] as number) + 0);
}
