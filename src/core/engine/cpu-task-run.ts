import type { ChunkGeometry, ChunkVoxels, CodecOptions } from '../codecs/codec.ts';
import { chainByName } from '../codecs/registry.ts';
import { survey } from '../codecs/survey.ts';
import { checksum, sameChecksum } from '../format/checksum.ts';
import type { EncodedChunk } from '../format/chunk.ts';
import { faultToData } from '../shared/errors.ts';
import { analyze, chunkBytes, fillElement } from './analyze.ts';
import type { EncodeChoice } from './backend.ts';
import {
  chooseCodec,
  codecOfChunk,
  codedChunk,
  constantElement,
  fallback,
  isConstant,
  isNoGain,
  mismatch,
  payloadChunk,
  rawCodec,
} from './choose.ts';
import type { ChosenChain } from './chosen-codec.ts';
import type { CpuTask, CpuTaskResult } from './cpu-task.ts';

/** What a worker runs: one chunk encoded or decoded by the reference codecs. A fault is a result; nothing is thrown. */
export function runCpuTask(task: CpuTask): CpuTaskResult {
  try {
    if (task.kind === 'decode') return { kind: 'decode', voxels: decodeChunk(task.chunk, task) };
    const { voxels: bytes, shape, elementBytes, options } = task;
    const codec = task.codec === 'auto' ? 'auto' : chainByName(task.codec);
    const chunk = encodeChunk({ bytes, shape, elementBytes }, { codec, options });
    const isShared = chunk.kind === 'coded' && chunk.payload.buffer === bytes.buffer;
    return { kind: 'encode', chunk, voxels: isShared ? undefined : bytes };
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
  let chosen = chooseCodec(analysis, voxels, choice, () => survey(voxels));
  let encoded = encodeBy(chosen, voxels, choice.options);
  while (!encoded) {
    chosen = fallback(chosen, analysis, voxels, choice.options);
    encoded = encodeBy(chosen, voxels, choice.options);
  }
  return codedChunk(encoded.stages, encoded.payload, analysis.checksum);
}

/** Undefined: this chunk would not be smaller than its voxels. */
function encodeBy(chosen: ChosenChain, voxels: ChunkVoxels, options: CodecOptions) {
  const { codec, parameters, second } = chosen;
  const payload = codec.reference.encode(voxels, parameters);
  const hasGain = codec === rawCodec || !isNoGain(payload.byteLength, voxels);
  if (second && (hasGain || codec.preparesEntropy)) {
    const chunk = payloadChunk(second, payload.byteLength, options);
    const sections = codec.reference.sections?.(payload, voxels, parameters);
    const shorter = second.reference.encode({ ...chunk, bytes: payload, sections }, chunk.parameters);
    if (!isNoGain(shorter.byteLength, chunk) && !isNoGain(shorter.byteLength, voxels)) {
      return { stages: [chosen, { codec: second, parameters: chunk.parameters }], payload: shorter };
    }
  }
  return hasGain ? { stages: [chosen], payload } : undefined;
}

/** A chunk's voxels, their checksum checked. @throws StriaError `corrupt`, `unsupported` */
export function decodeChunk(chunk: EncodedChunk, geometry: ChunkGeometry): Uint8Array<ArrayBuffer> {
  const voxels = decodeUnchecked(chunk, geometry);
  if (!sameChecksum(checksum(voxels, geometry.shape[0] * geometry.elementBytes), chunk.decodedChecksum)) throw mismatch();
  return voxels;
}

function decodeUnchecked(chunk: EncodedChunk, geometry: ChunkGeometry): Uint8Array<ArrayBuffer> {
  if (chunk.kind === 'coded') {
    const { codec, parameters, second } = codecOfChunk(chunk, geometry);
    const payload = second
      ? second.codec.reference.decode(chunk.payload, { shape: [second.decodedLength, 1, 1], elementBytes: 1 }, second.parameters)
      : chunk.payload;
    return codec.reference.decode(payload, geometry, parameters);
  }
  const element = constantElement(chunk, geometry);
  const voxels = new Uint8Array(chunkBytes(geometry));
  fillElement(voxels, element);
  return voxels;
}
