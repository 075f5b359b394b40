import type { CodecKernels, GpuChunk, GpuVoxels, RecordCall, RecordedPayloads } from '../../codec/codec.ts';
import { boundsOf, placer, placesFor, recordedEncoder, recordZeros, roomFor } from '../../codec/recorded.ts';
import type { Commands } from '../../gpu/commands.ts';
import type { Gpu } from '../../gpu/gpu.ts';
import { type EncodeGroup, recordGroup } from './encode-group.ts';
import { encoders } from './encoders.ts';
import { type PartPlace, partsOf } from './part-table.ts';
import { scratchFor, scratchWordsOf } from './scratch.ts';

interface EncodeLimits {
  /** The maximum number of bytes of a group's predictions. */
  readonly groupBytes: number;
  /** Groups with more bytes of predictions are submitted in parts. */
  readonly submitBytes: number;
}

/**
 * A group has at most 256 chunks of 64³. Each of its four parts then takes at most a quarter of a second on a GPU that is 100 times
 * slower than an H100.
 */
const largeLimits: EncodeLimits = { groupBytes: 272 * 2 ** 20, submitBytes: 68 * 2 ** 20 };
/** The maximum number of parts of a group. Each takes 36 KB besides its elements. */
const mostParts = 4096;

/** The encoder, which encodes chunks in groups. */
export function createEncoder(gpu: Gpu, limits = largeLimits): Pick<CodecKernels, 'prepareEncode' | 'recordEncode' | 'encode'> {
  return recordedEncoder(
    gpu,
    'wave.encode',
    (elementBytes) => gpu.prepareKernels([...Object.values(encoders(elementBytes)), placer]),
    (_, ...recording) => recordEncode(gpu, limits, ...recording),
  );
}

function recordEncode(
  gpu: Gpu,
  { groupBytes, submitBytes }: EncodeLimits,
  commands: Commands,
  voxels: GpuVoxels,
  chunks: readonly GpuChunk[],
  { scope, work }: RecordCall,
): RecordedPayloads {
  const groups = groupsOf(chunks, partsOf(chunks, voxels), Math.min(groupBytes, gpu.maxBindingBytes));
  const bounds = boundsOf(chunks, voxels.elementBytes);
  const buffer = recordZeros(commands, scope, 'wave.payloads', roomFor(bounds));
  const places = placesFor(scope, chunks.length);
  const scratch = scratchFor(gpu, groups, work);
  for (const group of groups) {
    const inParts = 4 * group.parts.reduce((sum, part) => sum + scratchWordsOf(part), 0) > submitBytes;
    recordGroup(gpu, commands, work, voxels, group, scratch, { buffer, places }, inParts);
  }
  return { buffer, places, mostBytes: bounds };
}

/** The chunks in groups. @param limit of the bytes of a group's predictions */
function groupsOf(chunks: readonly GpuChunk[], parts: readonly PartPlace[], limit: number): EncodeGroup[] {
  const groups: (EncodeGroup & { readonly chunks: GpuChunk[]; readonly parts: PartPlace[] })[] = [];
  let [bytes, chunk] = [0, -1];
  for (const part of parts) {
    const needed = 4 * scratchWordsOf(part);
    let group = groups.at(-1);
    const isNext = part.chunk !== chunk;
    const isFull = isNext && (bytes + needed * part.partCount > limit || (group?.parts.length ?? 0) + part.partCount > mostParts);
    if (!group || isFull) {
      group = { firstChunk: part.chunk, chunks: [], parts: [] };
      groups.push(group);
      bytes = 0;
    }
    if (isNext) group.chunks.push(chunks[part.chunk] as GpuChunk);
    group.parts.push(part);
    bytes += needed;
    chunk = part.chunk;
  }
  return groups;
}
