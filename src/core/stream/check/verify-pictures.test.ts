import { expect, test } from 'vitest';
import { createCpuBackend } from '../../cpu/cpu-backend.ts';
import { inlinePool } from '../../cpu/inline-pool.ts';
import { ContainerReader } from '../../format/container-reader.ts';
import { encodePngChunk } from '../../io/pictures/png-chunks.ts';
import { memorySink, memorySource } from '../../shared/bytes.ts';
import type { ElementType } from '../../shared/volume.ts';
import { compressBytes, infoOf, restoreBytes, voxelsOf } from '../engine-testing.ts';
import { describeContainer } from './info.ts';
import { recoverVolume } from './recover.ts';
import { verifyContainer } from './verify.ts';

const backend = createCpuBackend(inlinePool());
const base64 = (bytes: Uint8Array) => btoa(String.fromCharCode(...bytes));
const comment = encodePngChunk('tEXt', new TextEncoder().encode('Comment\0hi'));
const damaged = comment.map((byte, at) => (at === 12 ? byte ^ 1 : byte));
/** Tag 305 of type 2 with 3 values in 4 bytes. */
const brokenTag = Uint8Array.of(49, 1, 2, 0, 3, 0, 0, 0, 4, 0, 0, 0, 65, 66, 67, 0);
const none = [-1, -1, -1];

interface Case {
  readonly format?: 'png' | 'tiff';
  readonly type?: ElementType;
  readonly channels?: number;
  /** The forged table, which replaces the one that matches the volume. */
  readonly table: Record<string, unknown> | string;
}

const sound: Readonly<Record<string, Case>> = {
  valid: { table: {} },
  'metadata of a PNG': { table: { extras: [base64(comment)], extraOf: [0, -1, 0] } },
  'three samples per pixel': { channels: 3, table: { channels: 3, names: ['a.png'], extraOf: [-1] } },
  'a TIFF': { format: 'tiff', type: 'f32', table: { bits: 32 } },
};

const forged: Readonly<Record<string, Case>> = {
  'no JSON': { table: '{"channels":' },
  'more offsets of extras than names': { table: { extraOf: [...none, 0] } },
  'an offset past the extras': { table: { extraOf: [0, -1, -1] } },
  'fewer pictures than slices': { table: { names: ['a.png'], extraOf: [-1] } },
  'more samples than the volume has': { table: { channels: 3 } },
  'more bits than a sample has': { table: { bits: 16 } },
  'samples with bits outside their depth': { table: { bits: 4 } },
  'fewer than 8 bits of 16': { type: 'u16', table: { bits: 4 } },
  'metadata that is not a PNG chunk': { table: { extras: [base64(Uint8Array.of(1, 2, 3))], extraOf: [0, -1, -1] } },
  'a PNG chunk that is damaged': { table: { extras: [base64(damaged)], extraOf: [0, -1, -1] } },
  'metadata that is not a TIFF tag': { format: 'tiff', table: { extras: [base64(brokenTag)], extraOf: [-1, 0, -1] } },
  'a type that PNG cannot store': { type: 'f32', table: { bits: 8 } },
  'a name that leads to another folder': { table: { names: ['../a.png', 'b.png', 'c.png'] } },
};

/** A container of three pictures of 9 × 7, or of one with three samples per pixel, with the given table. */
async function container({ format = 'png', type = 'u8', channels = 1, table }: Case): Promise<Uint8Array> {
  const info = infoOf([9, 7, channels === 1 ? 3 : 1, channels], type);
  const fitting = { channels, bits: type === 'u16' ? 16 : 8, names: ['a.png', 'b.png', 'c.png'], extras: [], extraOf: none };
  const text = typeof table === 'string' ? table : JSON.stringify({ ...fitting, ...table });
  const before = new TextEncoder().encode(text);
  const part = { name: `stack.${format}`, before, hasVoxels: true, after: new Uint8Array() };
  const source = { format, endian: 'little', parts: [part] } as const;
  return (await compressBytes(backend, info, voxelsOf(info, 'noise'), { source })).bytes;
}

async function verify(bytes: Uint8Array) {
  return verifyContainer(await ContainerReader.open(memorySource('a.stria', bytes)), { backend });
}

test.each(Object.entries(sound))('a valid table is restored: %s', async (_, one) => {
  const bytes = await container(one);
  expect(await verify(bytes)).toMatchObject({ sound: true, problems: [] });
  expect((await restoreBytes(backend, bytes)).size).toBeGreaterThan(0);
});

test.each(Object.entries(forged))('what cannot be restored is not sound: %s', async (_, one) => {
  const bytes = await container(one);
  const fault = await restoreBytes(backend, bytes).catch((error: unknown) => error);
  expect(fault).toMatchObject({ tag: expect.stringMatching(/^(corrupt|unsupported)$/) });
  const report = await verify(bytes);
  expect(report).toMatchObject({ sound: false, damagedCount: 0 });
  expect(report.problems).toEqual([(fault as { fullMessage: string }).fullMessage]);
});

test.each([...Object.entries(forged), ['bits of a later version', { table: { bits: 12 } }] as const])(
  'a file is described whatever its table: %s',
  async (_, one) => {
    const bytes = await container(one);
    const described = await describeContainer(await ContainerReader.open(memorySource('a.stria', bytes)), bytes.byteLength);
    expect(described.fileBytes).toBe(bytes.byteLength);
  },
);

test.each(['no JSON', 'fewer pictures than slices', 'metadata that is not a PNG chunk'])(
  'a recovered file can be restored, whatever the table: %s',
  async (name) => {
    const sink = memorySink();
    const report = await recoverVolume(memorySource('a.stria', await container(forged[name] as Case)), sink);
    expect(report).toMatchObject({ lostCount: 0, sourceKept: false });
    expect(report.problems).toHaveLength(1);
    expect(await verify(sink.bytes())).toMatchObject({ sound: true });
    expect((await restoreBytes(backend, sink.bytes())).has('recovered.raw')).toBe(true);
  },
);
