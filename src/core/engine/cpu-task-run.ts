import type { ChunkGeometry, ChunkVoxels } from '../codecs/codec.ts';
import { codecByName } from '../codecs/registry.ts';
import { checksum, sameChecksum } from '../format/checksum.ts';
import type { EncodedChunk } from '../format/chunk.ts';
import { faultToData } from '../shared/errors.ts';
import { analyze, chunkBytes, fillElement } from './analyze.ts';
import type { EncodeChoice } from './backend.ts';
import { chooseCodec, codecOfChunk, codedChunk, constantElement, isConstant, isNoGain, mismatch, rawCodec } from './choose.ts';
import type { CpuTask, CpuTaskResult } from './cpu-task.ts';

/** What a worker runs: one chunk encoded or decoded by the reference codecs. A fault is a result; nothing is thrown. */
export function runCpuTask(task: CpuTask): CpuTaskResult {
  try {
    if (task.kind === 'decode') return { kind: 'decode', voxels: decodeChunk(task.chunk, task) };
    const { voxels: bytes, shape, elementBytes, options } = task;
    const codec = task.codec === 'auto' ? 'auto' : codecByName(task.codec);
    return { kind: 'encode', chunk: encodeChunk({ bytes, shape, elementBytes }, { codec, options }) };
  } catch (error) {
    return { kind: 'fault', fault: faultToData(error) };
  }
}

/** A chunk encoded as `choice` says. @throws StriaError `unsupported` */
export function encodeChunk(voxels: ChunkVoxels, choice: EncodeChoice): EncodedChunk {
  const analysis = analyze(voxels);
  if (isConstant(analysis)) {
    const element = voxels.bytes.slice(0, voxels.elementBytes);
    return { kind: 'constant', element, decodedChecksum: analysis.checksum };
  }
  const chosen = chooseCodec(analysis, voxels, choice);
  const payload = chosen.codec.reference.encode(voxels, chosen.parameters);
  if (chosen.codec === rawCodec || !isNoGain(payload.byteLength, voxels)) return codedChunk(chosen, payload, analysis.checksum);
  const parameters = rawCodec.choose(analysis, voxels, choice.options);
  return codedChunk({ codec: rawCodec, parameters }, rawCodec.reference.encode(voxels, parameters), analysis.checksum);
}

/** A chunk's voxels, their checksum checked. @throws StriaError `corrupt`, `unsupported` */
export function decodeChunk(chunk: EncodedChunk, geometry: ChunkGeometry): Uint8Array<ArrayBuffer> {
  const voxels = decodeUnchecked(chunk, geometry);
  if (!sameChecksum(checksum(voxels, geometry.shape[0] * geometry.elementBytes), chunk.decodedChecksum)) throw mismatch();
  return voxels;
}

function decodeUnchecked(chunk: EncodedChunk, geometry: ChunkGeometry): Uint8Array<ArrayBuffer> {
  if (chunk.kind === 'coded') {
    const { codec, parameters } = codecOfChunk(chunk, geometry);
    return codec.reference.decode(chunk.payload, geometry, parameters);
  }
  const element = constantElement(chunk, geometry);
  const voxels = new Uint8Array(chunkBytes(geometry));
  fillElement(voxels, element);
  return voxels;
}
