import type { Mesh } from './mesh.ts';

/** A step inward and one outward: together they keep the size, which a plain average would shrink. Source: Taubin 1995, section 3.2. */
const steps = [0.5, -0.53] as const;

/** Smooths a mesh: each round moves every corner towards the middle of its neighbours, and most of the way back. */
export function smooth({ positions, triangles }: Mesh, rounds: number): Mesh {
  if (rounds === 0) return { positions, triangles };
  const { starts, neighbours } = neighboursOf(positions.length / 3, triangles);
  let current = positions;
  for (let round = 0; round < rounds; round++)
    for (const step of steps) {
      const moved = new Float32Array(current.length);
      for (let corner = 0; corner + 1 < starts.length; corner++) {
        const [from, to] = [starts[corner] as number, starts[corner + 1] as number];
        for (let axis = 0; axis < 3; axis++) {
          let sum = 0;
          for (let at = from; at < to; at++) sum += current[3 * (neighbours[at] as number) + axis] as number;
          const own = current[3 * corner + axis] as number;
          moved[3 * corner + axis] = own + step * (sum / (to - from) - own);
        }
      }
      current = moved;
    }
  return { positions: current, triangles };
}

/** The neighbours of each corner of a closed mesh, where each side belongs to one triangle in each direction. */
function neighboursOf(corners: number, triangles: Uint32Array) {
  const starts = new Uint32Array(corners + 1);
  for (const corner of triangles) starts[corner + 1] = (starts[corner + 1] as number) + 1;
  for (let corner = 0; corner < corners; corner++)
    starts[corner + 1] = (starts[corner + 1] as number) + (starts[corner] as number);
  const neighbours = new Uint32Array(triangles.length);
  const next = starts.slice();
  for (let at = 0; at < triangles.length; at++) {
    const corner = triangles[at] as number;
    const other = triangles[at % 3 === 2 ? at - 2 : at + 1] as number;
    const place = next[corner] as number;
    neighbours[place] = other;
    next[corner] = place + 1;
  }
  return { starts, neighbours };
}
