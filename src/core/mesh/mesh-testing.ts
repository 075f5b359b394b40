import { expect } from 'vitest';
import type { Mesh } from './mesh.ts';

/** Numbers from 0 to below 1, always the same ones for a seed (xorshift). */
export function randomNumbers(seed: number): () => number {
  let state = seed || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

/** The volume that a closed mesh encloses: positive if its outside is outwards. */
export function volumeInside({ positions, triangles }: Mesh): number {
  let sum = 0;
  for (let at = 0; at < triangles.length; at += 3) {
    const [a, b, c] = [0, 1, 2].map((corner) => {
      const start = 3 * (triangles[at + corner] as number);
      return [positions[start], positions[start + 1], positions[start + 2]] as [number, number, number];
    }) as [[number, number, number], [number, number, number], [number, number, number]];
    sum += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
  }
  return sum / 6;
}

/** A closed sphere of triangles, with corners on rings. */
export function ballMesh(centre: readonly [number, number, number], radius: number, rings = 24): Mesh {
  const sectors = 2 * rings;
  const positions: number[] = [];
  const triangles: number[] = [];
  for (let ring = 0; ring <= rings; ring++) {
    for (let sector = 0; sector < sectors; sector++) {
      const [polar, turn] = [(Math.PI * ring) / rings, (2 * Math.PI * sector) / sectors];
      const [x, y, z] = [Math.sin(polar) * Math.cos(turn), Math.sin(polar) * Math.sin(turn), Math.cos(polar)];
      positions.push(centre[0] + radius * x, centre[1] + radius * y, centre[2] + radius * z);
      if (ring === rings) continue;
      const [a, b] = [ring * sectors + sector, ring * sectors + ((sector + 1) % sectors)];
      triangles.push(a, a + sectors, b, b, a + sectors, b + sectors);
    }
  }
  return { positions: new Float32Array(positions), triangles: new Uint32Array(triangles) };
}

/** Each side of a triangle is a side of exactly one other one, in the opposite direction. */
export function expectClosed({ positions, triangles }: Mesh) {
  const sides = new Set<string>();
  for (let at = 0; at < triangles.length; at += 3) {
    for (let side = 0; side < 3; side++) {
      const key = `${triangles[at + side]} ${triangles[at + ((side + 1) % 3)]}`;
      if (sides.has(key)) expect.fail(`two triangles have the side ${key}`);
      sides.add(key);
    }
  }
  for (const key of sides) {
    if (!sides.has(key.split(' ').reverse().join(' '))) expect.fail(`only one triangle has the side ${key}`);
  }
  expect(new Set(triangles).size).toBe(positions.length / 3);
}
