import checksumShader from '../../shaders/gpu-chunks/checksum.wgsl';
import { placePayloads, tileTable } from '../codec/batch.ts';
import type { KernelCall } from '../codec/codec.ts';
import type { Checksum } from '../format/checksum.ts';
import type { Commands, GatheredCopy } from '../gpu/commands.ts';
import type { Gpu } from '../gpu/gpu.ts';
import type { KernelDescriptor } from '../gpu/kernel.ts';
import { type LentBytes, wholeWords } from '../gpu/lent-bytes.ts';
import type { GpuScope } from '../gpu/scope.ts';

/** A payload in GPU memory. */
export interface PlacedPayload {
  /** Usage STORAGE | COPY_SRC. */
  readonly buffer: GPUBuffer;
  /** A multiple of 4. */
  readonly byteOffset: number;
  /** At least 1. */
  readonly byteLength: number;
}

/** Payloads in CPU memory, one after another. */
export interface GatheredPayloads {
  /** Undefined if there are none. */
  readonly lent: LentBytes | undefined;
  readonly byteOffsets: readonly number[];
  /** The checksum of each payload, as one row. */
  readonly checksums: readonly Checksum[];
}

/** Copies payloads to the CPU, with their checksums, in one submit. */
export async function gatherPayloads(
  gpu: Gpu,
  payloads: readonly PlacedPayload[],
  { scope, onTimes }: Pick<KernelCall, 'scope' | 'onTimes'>,
): Promise<GatheredPayloads> {
  if (payloads.length === 0) return { lent: undefined, byteOffsets: [], checksums: [] };
  using work = scope.scope('gather');
  const { byteOffsets, totalBytes } = placePayloads(payloads.map(({ byteLength }) => byteLength));
  const commands = gpu.commands('payloads', onTimes);
  const checksums = checksumOnGpu(gpu, commands, work, payloads);
  const lent = commands.lend(totalBytes, copiesOf(payloads, byteOffsets));
  await commands.submit();
  return { lent: lent(), byteOffsets, checksums: checksums() };
}

/** The copies that move payloads to their new places. Payloads that stay adjacent are copied together. */
export function copiesOf(payloads: readonly PlacedPayload[], byteOffsets: readonly number[]): GatheredCopy[] {
  const copies: { -readonly [Key in keyof GatheredCopy]: GatheredCopy[Key] }[] = [];
  payloads.forEach(({ buffer, byteOffset, byteLength }, i) => {
    const [to, size] = [byteOffsets[i] as number, wholeWords(byteLength)];
    const last = copies.at(-1);
    if (last?.buffer === buffer && last.offset + last.size === byteOffset && last.to + last.size === to) last.size += size;
    else copies.push({ buffer, offset: byteOffset, size, to });
  });
  return copies;
}

/** `tile_words` in checksum.wgsl. */
const tileWords = 4096;

export const checksummer: KernelDescriptor = {
  label: 'engine.checksum',
  shader: checksumShader,
  constants: { tile_words: tileWords },
};

/**
 * Records the checksums of payloads, by shaders/gpu-chunks/checksum.wgsl. @param scope owns the tables
 * @returns the checksums, once the commands are done
 */
export function checksumOnGpu(
  gpu: Gpu,
  commands: Commands,
  scope: GpuScope,
  payloads: readonly PlacedPayload[],
): () => Checksum[] {
  const byBuffer = new Map<GPUBuffer, number[]>();
  payloads.forEach(({ buffer }, i) => {
    const members = byBuffer.get(buffer);
    if (members) members.push(i);
    else byBuffer.set(buffer, [i]);
  });
  const kernel = gpu.kernel(checksummer);
  commands.stage('checksum');
  const groups = [...byBuffer].map(([buffer, members]) => {
    const lengths = members.map((i) => (payloads[i] as PlacedPayload).byteLength);
    const { tileCount, firstTiles, chunkOfTile } = tileTable(lengths.map((length) => Math.ceil(length / 4 / tileWords)));
    const table = new Uint32Array(4 * members.length);
    members.forEach((i, at) => {
      const { byteOffset, byteLength } = payloads[i] as PlacedPayload;
      table.set([byteOffset / 4, byteLength, firstTiles[at] as number], 4 * at);
    });
    const totals = scope.storage('checksums', 8 * members.length);
    const bindings = [
      scope.uniform('tile-count', [tileCount]),
      scope.storage('payloads', table.byteLength, table),
      scope.storage('payload-of-tile', chunkOfTile.byteLength, chunkOfTile),
      buffer,
      totals,
    ];
    commands.dispatch(kernel, bindings, tileCount);
    return { members, totals };
  });
  const reads = groups.map(({ members, totals }) => ({ members, read: commands.readWords(totals) }));
  return () => {
    const checksums = new Array<Checksum>(payloads.length);
    for (const { members, read } of reads) {
      const words = read();
      members.forEach((i, at) => {
        checksums[i] = { sum: words[2 * at] as number, cross: words[2 * at + 1] as number };
      });
    }
    return checksums;
  };
}
