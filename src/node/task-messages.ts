import type { CpuTask, CpuTaskResult } from '../core/cpu/cpu-task.ts';
import type { EncodedChunk } from '../core/format/chunk.ts';
import { isShared } from '../core/shared/shared-bytes.ts';

/** A message between threads, and the buffers that are transferred with it instead of copied. */
export interface Packed<T> {
  readonly message: T;
  readonly transfer: ArrayBuffer[];
}

/** What a thread receives. */
export interface TaskMessage {
  readonly task: CpuTask;
  /** Not 0 once the task is cancelled. */
  readonly abort: Int32Array | undefined;
}

const abortFlags = new WeakMap<AbortSignal, Int32Array>();

/** A number in shared memory that becomes 1 when the signal aborts, because threads cannot see the signal. */
export function abortFlag(signal: AbortSignal): Int32Array {
  const known = abortFlags.get(signal);
  if (known) return known;
  const flag = new Int32Array(new SharedArrayBuffer(4));
  signal.addEventListener('abort', () => Atomics.store(flag, 0, 1), { once: true });
  abortFlags.set(signal, flag);
  return flag;
}

export function packTask(task: CpuTask): Packed<CpuTask> {
  const transfer: ArrayBuffer[] = [];
  if (task.kind === 'encode') {
    const { box } = task;
    return { message: 'bytes' in box ? { ...task, box: { ...box, bytes: handOver(box.bytes, transfer) } } : task, transfer };
  }
  if (task.kind === 'halve') {
    const blocks = task.blocks.map((block) => ({
      ...block,
      parts: block.parts.map((part) => ({ ...part, chunk: packChunk(part.chunk, transfer) })),
    }));
    return { message: { ...task, blocks }, transfer };
  }
  return { message: { ...task, chunks: task.chunks.map((chunk) => packChunk(chunk, transfer)) }, transfer };
}

export function packResult(result: CpuTaskResult): Packed<CpuTaskResult> {
  const transfer: ArrayBuffer[] = [];
  switch (result.kind) {
    case 'encode': {
      const chunks = result.chunks.map((chunk) => packChunk(chunk, transfer));
      const voxels = result.voxels && handOver(result.voxels, transfer);
      const halved = result.halved?.map((bytes) => handOver(bytes, transfer));
      return { message: { ...result, chunks, voxels, halved }, transfer };
    }
    case 'decode':
      return { message: { ...result, voxels: result.voxels && handOver(result.voxels, transfer) }, transfer };
    case 'halve':
      return { message: { ...result, chunk: packChunk(result.chunk, transfer) }, transfer };
    case 'fault':
      return { message: result, transfer };
  }
}

function packChunk(chunk: EncodedChunk, transfer: ArrayBuffer[]): EncodedChunk {
  if (chunk.kind !== 'coded') return { ...chunk, element: chunk.element.slice() };
  const stages = chunk.stages.map((stage) => ({ ...stage, parameters: stage.parameters.slice() }));
  return { ...chunk, stages, payload: handOver(chunk.payload, transfer) };
}

/**
 * The bytes in a buffer of their own, or in memory that threads share. A view of part of a buffer is copied, because posting it would copy or transfer the whole
 * buffer.
 */
function handOver(bytes: Uint8Array, transfer: ArrayBuffer[]): Uint8Array<ArrayBuffer> {
  const buffer: ArrayBufferLike = bytes.buffer;
  if (isShared(bytes)) return bytes as Uint8Array<ArrayBuffer>;
  const own =
    buffer instanceof ArrayBuffer && bytes.byteLength === buffer.byteLength ? new Uint8Array(buffer) : new Uint8Array(bytes);
  if (!transfer.includes(own.buffer)) transfer.push(own.buffer);
  return own;
}
