import { memoryTree } from '../core/io/common/file-tree.ts';
import { parseLabelTable } from '../core/io/label-tables/read-label-table.ts';
import { parseMesh } from '../core/mesh/read/read-mesh.ts';
import { cpuDepositDevice } from '../core/particles/cpu-deposit.ts';
import { sumParticles } from '../core/particles/deposit-particles.ts';
import { openParticles } from '../core/particles/formats/open-particles.ts';
import { type ParticleSet, particlePieces } from '../core/particles/particles.ts';
import { memorySource } from '../core/shared/bytes.ts';
import { isLabelNumber, longestLabelName, mostLabels } from '../core/shared/label-table.ts';
import { parseTransform, transformText } from '../core/transforms/layer-transforms.ts';
import { isUsableTransform } from '../core/transforms/transform.ts';
import type { FuzzCase } from './cases.ts';
import { Finding, job, outcome } from './outcome.ts';

/** Checks particles: there are as many as the header says or a typed fault, and the sums hold everything that was deposited. */
export async function checkParticles({ files, isFolder }: FuzzCase): Promise<void> {
  const [file] = files as [FuzzCase['files'][number]];
  const input = isFolder
    ? memoryTree('sim', Object.fromEntries(files.map(({ name, bytes }) => [name, bytes])))
    : memorySource(file.name, file.bytes);
  const opened = await outcome('open particles', () => openParticles(input, {}, job()));
  if ('fault' in opened) return;
  try {
    await checkGroups(opened.value);
    await checkSums(opened.value);
  } finally {
    opened.value.close?.();
  }
}

async function checkGroups({ groups }: ParticleSet): Promise<void> {
  for (const group of groups) {
    const request = { masses: group.lacksMasses === undefined, radii: group.lacksRadii === undefined };
    let count = 0;
    const read = await outcome(`read ${group.name}`, async () => {
      for await (const { positions, masses, radii } of particlePieces([group], request, undefined, job())) {
        const here = positions.length / 3;
        if ((masses && masses.length !== here) || (radii && radii.length !== here)) {
          throw new Finding(`${group.name}: ${here} positions, ${masses?.length} masses, ${radii?.length} radii`);
        }
        count += here;
      }
    });
    if ('value' in read && count !== group.count) throw new Finding(`${group.name}: ${count} particles, not ${group.count}`);
  }
}

async function checkSums({ groups }: ParticleSet): Promise<void> {
  const box = { origin: [-2, -2, -2], lengths: [8, 8, 8] } as const;
  const kernel = groups.some(({ lacksRadii }) => lacksRadii !== undefined) ? 'cic' : 'sph';
  for (const edges of ['clip', 'periodic'] as const) {
    const settings = { grid: { dims: [6, 5, 4], box, edges }, kernel, quantity: 'count', unit: 2 ** -20 } as const;
    const summed = await outcome('deposit', async () => {
      const volume = sumParticles(groups, settings, cpuDepositDevice(), job());
      let sum = 0;
      for await (const piece of volume.voxels(job())) {
        for (const value of new Float64Array(piece.slice().buffer)) {
          if (!Number.isInteger(value) || value < 0) throw new Finding(`a sum is ${value}`);
          sum += value;
        }
      }
      return { sum, report: volume.report() };
    });
    if ('fault' in summed) return;
    const { sum, report } = summed.value;
    const isRight = sum === report.depositedUnits && (edges === 'clip' ? sum <= report.units : sum === report.units);
    if (!isRight) throw new Finding(`${edges}: ${sum} units are in the voxels; ${JSON.stringify(report)}`);
  }
}

/** Checks a label table: its labels can be drawn and occur once, or there is a typed fault. */
export async function checkLabels({ files: [file] }: FuzzCase): Promise<void> {
  const parsed = await outcome('parse labels', async () => parseLabelTable(file?.bytes ?? new Uint8Array()));
  if ('fault' in parsed) return;
  const table = parsed.value;
  const numbers = new Set(table.map(({ number }) => number));
  if (numbers.size !== table.length || table.length > mostLabels || table.length === 0) {
    throw new Finding(`${table.length} labels have ${numbers.size} numbers`);
  }
  for (const entry of table) {
    const { number, name = 'x', color = '#000000' } = entry;
    const isGood = isLabelNumber(number) && name !== '' && name.length <= longestLabelName && /^#[0-9a-f]{6}$/.test(color);
    if (!isGood) throw new Finding(`a label is ${JSON.stringify(entry)}`);
  }
}

/** Checks meshes: positions are finite and triangles refer to existing corners, or there is a typed fault. */
export async function checkMesh({ files: [file] }: FuzzCase): Promise<void> {
  const { name, bytes } = file as FuzzCase['files'][number];
  const opened = await outcome('open a mesh', () => parseMesh(new Uint8Array(bytes), name, { metres: 1e-3, ...job() }));
  if ('fault' in opened) return;
  const { meshes } = opened.value;
  if (meshes.length === 0) throw new Finding('a file has no meshes, and no fault');
  for (const { name: title, mesh } of meshes) {
    const { positions, triangles } = mesh;
    if (title === '' || triangles.length === 0 || triangles.length % 3 !== 0 || positions.length % 3 !== 0)
      throw new Finding(`the mesh '${title}' has ${positions.length} coordinates and ${triangles.length} numbers of corners`);
    if (!positions.every(Number.isFinite)) throw new Finding('a coordinate is not a number');
    if (triangles.some((corner) => 3 * corner >= positions.length))
      throw new Finding('a triangle names a corner that is not there');
  }
}

/** Checks a matrix: it can be used and survives writing and reading, or there is a typed fault. */
export async function checkMatrix({ files: [file] }: FuzzCase): Promise<void> {
  const { name, bytes } = file as FuzzCase['files'][number];
  const parsed = await outcome('parse a matrix', async () => parseTransform(bytes, name));
  if ('fault' in parsed) return;
  const { numbers, formats } = parsed.value;
  if (!isUsableTransform(numbers) || formats.length === 0) throw new Finding(`a matrix is ${numbers.join(' ')}`);
  for (const format of formats) {
    const text = new TextEncoder().encode(transformText(numbers, format));
    const again = await outcome('parse what was written', async () => parseTransform(text, name));
    const isSame = 'value' in again && again.value.numbers.every((value, at) => value === numbers[at]);
    if (!isSame) throw new Finding(`written as ${format}, it reads as something else`);
  }
}
