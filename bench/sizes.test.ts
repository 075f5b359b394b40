import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { CodecElementBytes } from '../src/core/codec/codec.ts';
import { chainByName, codecs } from '../src/core/codecs/registry.ts';
import { createCpuBackend } from '../src/core/cpu/cpu-backend.ts';
import { inlinePool } from '../src/core/cpu/inline-pool.ts';
import { openSample } from '../src/core/samples/sample.ts';
import { sampleKinds } from '../src/core/samples/sample-kinds.ts';
import type { SampleRequest } from '../src/core/samples/sample-pieces.ts';
import { type Dims3, volumeBytes } from '../src/core/shared/volume.ts';
import { compressBytes } from '../src/core/stream/engine-testing.ts';

// Whole .stria files of every sample, by codec, as committed in sizes.csv. A change that moves a size must bring the new
// file along, so that its diff is read: UPDATE_SIZES=1 npx vitest run --project unit bench/sizes.test.ts

const file = new URL('sizes.csv', import.meta.url);
/** A volume, and a stack of pictures (slices of which chunks hold one each). */
const shapes: readonly Dims3[] = [
  [64, 64, 64],
  [320, 240, 2],
];

/** The two that 'auto' makes. */
const chains = ['rle+huffman', 'predict+huffman'];

test('whole files are as large as sizes.csv says', async () => {
  const rows = ['sample,type,dims,codec,bytes'];
  for (const dims of shapes) {
    for (const kind of sampleKinds) {
      for (const type of ['u8', 'u16'] as const) {
        for (const codec of ['auto', ...codecs.filter(takes(type === 'u8' ? 1 : 2)).map(({ name }) => name), ...chains]) {
          rows.push([kind, type, dims.join('x'), codec, await fileBytes({ kind, dims, type, seed: 1 }, codec)].join(','));
        }
      }
    }
  }
  const measured = `${rows.join('\n')}\n`;
  if (process.env.UPDATE_SIZES) await writeFile(file, measured);
  expect(measured, 'sizes have changed: read the differences, and commit the new file if they are meant').toBe(
    await readFile(file, 'utf8'),
  );
}, 600_000);

function takes(elementBytes: CodecElementBytes) {
  return (codec: (typeof codecs)[number]) => codec.elementBytes.includes(elementBytes);
}

async function fileBytes(request: SampleRequest, codec: string): Promise<number> {
  const volume = openSample(request);
  const voxels = new Uint8Array(volumeBytes(volume.info));
  let at = 0;
  for await (const piece of volume.voxels()) {
    voxels.set(piece, at);
    at += piece.byteLength;
  }
  const choice = { codec: codec === 'auto' ? codec : chainByName(codec), options: { axis: 'auto' } } as const;
  const backend = createCpuBackend(inlinePool());
  return (await compressBytes(backend, volume.info, voxels, { choice })).bytes.byteLength;
}
