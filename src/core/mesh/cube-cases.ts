/**
 * The triangles of marching cubes (Lorensen and Cline 1987), computed instead of listed. A cell has corners 0 to 7 (x is bit 0, y bit 1,
 * z bit 2) and 12 edges. On a face with two inner corners across from each other, the inner corners are separated. Both cells of a face
 * see it alike, so the surface has no holes. No diagonal of a polygon lies in a face, so at each side of a triangle exactly one other meets it.
 */

/** An edge of a cell: its lower corner, and its axis (0 is x). Edge number = axis × 4 + the lower corner's rank among those of that axis. */
export const cellEdges: readonly { readonly corner: number; readonly axis: number }[] = [0, 1, 2].flatMap((axis) =>
  [0, 1, 2, 3, 4, 5, 6, 7].filter((corner) => ((corner >> axis) & 1) === 0).map((corner) => ({ corner, axis })),
);

/** The corners of each face, turning left as seen from outside the cell. */
const faces: readonly (readonly [number, number, number, number])[] = [
  [0, 4, 6, 2],
  [1, 3, 7, 5],
  [0, 1, 5, 4],
  [2, 6, 7, 3],
  [0, 2, 3, 1],
  [4, 5, 7, 6],
];

function edgeBetween(a: number, b: number): number {
  const axis = Math.log2(a ^ b);
  return cellEdges.findIndex((edge) => edge.axis === axis && edge.corner === Math.min(a, b));
}

function trianglesOf(inner: number): readonly number[] {
  const isInner = (corner: number) => ((inner >> corner) & 1) === 1;
  // On each face, every row of inner corners is cut off by a segment between the edges on its two sides.
  const next = new Map<number, number>();
  for (const face of faces) {
    for (let at = 0; at < 4; at++) {
      const [corner, after] = [face[at] as number, face[(at + 1) % 4] as number];
      if (!isInner(corner) || isInner(after)) continue;
      let first = at;
      while (isInner(face[(first + 3) % 4] as number)) first = (first + 3) % 4;
      const exit = edgeBetween(corner, after);
      next.set(edgeBetween(face[(first + 3) % 4] as number, face[first] as number), exit);
    }
  }
  const triangles: number[] = [];
  while (next.size > 0) {
    const loop: number[] = [];
    let [edge] = next.keys();
    while (edge !== undefined && next.has(edge)) {
      loop.push(edge);
      const following = next.get(edge);
      next.delete(edge);
      edge = following;
    }
    triangles.push(...(triangulated(loop) as readonly number[]));
  }
  return triangles;
}

/** Triangles of a polygon whose diagonals lie inside the cell. Undefined if there are none. */
function triangulated(loop: readonly number[]): readonly number[] | undefined {
  if (loop.length === 3) return loop;
  const [first, last] = [loop[0] as number, loop.at(-1) as number];
  for (let at = 1; at < loop.length - 1; at++) {
    const tip = loop[at] as number;
    if (at > 1 && shareFace(first, tip)) continue;
    if (at < loop.length - 2 && shareFace(tip, last)) continue;
    const before = at > 1 ? triangulated(loop.slice(0, at + 1)) : [];
    const after = at < loop.length - 2 ? triangulated(loop.slice(at)) : [];
    if (before && after) return [...before, first, tip, last, ...after];
  }
  return undefined;
}

function shareFace(a: number, b: number): boolean {
  const cornersOf = (edge: number) => {
    const { corner, axis } = cellEdges[edge] as { corner: number; axis: number };
    return [corner, corner | (1 << axis)];
  };
  const corners = [...cornersOf(a), ...cornersOf(b)];
  return faces.some((face) => corners.every((corner) => face.includes(corner)));
}

/** For each of the 256 sets of inner corners (bit c: corner c) the triangles, as numbers of edges. Seen from outside, they turn left. */
export const cubeCases: readonly (readonly number[])[] = Array.from({ length: 256 }, (_, inner) => trianglesOf(inner));
