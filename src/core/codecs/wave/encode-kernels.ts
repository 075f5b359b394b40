import { placePayloads } from '../../codec/batch.ts';
import type { GpuChunk, GpuPayloads, GpuVoxels, KernelCall } from '../../codec/codec.ts';
import type { Gpu } from '../../gpu/gpu.ts';
import { throwIfAborted } from '../../shared/job.ts';
import { EncodeGroup } from './encode-group.ts';
import { type PartPlace, partsOf } from './part-table.ts';
import { scratchFor, scratchWordsOf } from './scratch.ts';

/** The maximum number of bytes of a group's predictions: 256 chunks of 64³. */
const workBytes = 272 * 2 ** 20;
/** The maximum number of parts of a dispatch, along y. */
const mostParts = 16384;

/** Encodes chunks in groups. @param mostBytes the maximum number of bytes of a group's predictions */
export async function encode(
  gpu: Gpu,
  voxels: GpuVoxels,
  chunks: readonly GpuChunk[],
  call: KernelCall,
  mostBytes = workBytes,
): Promise<GpuPayloads> {
  throwIfAborted(call.signal);
  const groups = groupsOf(partsOf(chunks, voxels), Math.min(mostBytes, gpu.maxBindingBytes));
  const { scope } = call;
  const results = await encodeGroups(gpu, voxels, chunks, groups, call);
  if (results.length === 1) return results[0] as GpuPayloads;
  const byteLengths = results.flatMap((one) => one.byteLengths);
  const { byteOffsets, totalBytes } = placePayloads(byteLengths);
  if (totalBytes === 0) return { buffer: undefined, byteOffsets, byteLengths };
  const buffer = scope.storage('wave.payloads', totalBytes);
  let chunk = 0;
  const commands = gpu.commands('wave.join');
  for (const { buffer: from, byteLengths: lengths } of results) {
    const to = byteOffsets[chunk] as number;
    const end = byteOffsets[chunk + lengths.length] ?? totalBytes;
    if (from) commands.record((encoder) => encoder.copyBufferToBuffer(from, 0, buffer, to, end - to));
    chunk += lengths.length;
  }
  await commands.submit();
  for (const { buffer: from } of results) if (from) scope.free(from);
  return { buffer, byteOffsets, byteLengths };
}

async function encodeGroups(
  gpu: Gpu,
  voxels: GpuVoxels,
  chunks: readonly GpuChunk[],
  groups: readonly (readonly PartPlace[])[],
  call: KernelCall,
): Promise<GpuPayloads[]> {
  using work = call.scope.scope('wave.work');
  const scratch = scratchFor(groups, work);
  const results: GpuPayloads[] = [];
  for (const [i, parts] of groups.entries()) {
    const own = chunks.slice(parts[0]?.chunk as number, groups[i + 1]?.[0]?.chunk ?? chunks.length);
    results.push(await new EncodeGroup(gpu, voxels, own, parts, scratch, call).encode());
  }
  return results;
}

/** The parts in groups that are encoded together. A group contains only whole chunks. */
function groupsOf(parts: readonly PartPlace[], limit: number): PartPlace[][] {
  const groups: PartPlace[][] = [];
  let [bytes, chunk] = [0, -1];
  for (const part of parts) {
    const needed = 4 * scratchWordsOf(part);
    const group = groups.at(-1);
    // A chunk is not divided between groups.
    if (
      group &&
      (part.chunk === chunk || (bytes + needed * part.partCount <= limit && group.length + part.partCount <= mostParts))
    ) {
      group.push(part);
      bytes += needed;
    } else {
      groups.push([part]);
      bytes = needed;
    }
    chunk = part.chunk;
  }
  return groups;
}
