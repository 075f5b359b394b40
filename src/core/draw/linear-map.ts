import { cross, dot, scaled, sum, type Vector3 } from '../shared/vectors.ts';

/** Maps positions: shift + Σ columns[axis] × position[axis]. */
export interface LinearMap {
  readonly columns: readonly [Vector3, Vector3, Vector3];
  readonly shift: Vector3;
}

/** The first map, then the second. */
export function chained(first: LinearMap, second: LinearMap): LinearMap {
  const [x, y, z] = first.columns;
  const turned = (step: Vector3): Vector3 => stepIn(second, step);
  return { columns: [turned(x), turned(y), turned(z)], shift: sum(second.shift, turned(first.shift)) };
}

/** The way back. Its numbers are not finite if the columns depend on each other. */
export function inverse({ columns, shift }: LinearMap): LinearMap {
  const [a, b, c] = reciprocals(columns);
  const back: LinearMap['columns'] = [
    [a[0], b[0], c[0]],
    [a[1], b[1], c[1]],
    [a[2], b[2], c[2]],
  ];
  return { columns: back, shift: scaled(stepIn({ columns: back }, shift), -1) };
}

/** The columns of the matrix that maps normals: the inverse of the transposed matrix. */
export function reciprocals([a, b, c]: LinearMap['columns']): LinearMap['columns'] {
  const by = 1 / dot(a, cross(b, c));
  return [scaled(cross(b, c), by), scaled(cross(c, a), by), scaled(cross(a, b), by)];
}

/** Column by column of a 4×4 matrix. */
export function matrixOf({ columns: [a, b, c], shift }: LinearMap): number[] {
  return [...a, 0, ...b, 0, ...c, 0, ...shift, 1];
}

function stepIn({ columns: [x, y, z] }: Pick<LinearMap, 'columns'>, step: Vector3): Vector3 {
  return sum(scaled(x, step[0]), scaled(y, step[1]), scaled(z, step[2]));
}
