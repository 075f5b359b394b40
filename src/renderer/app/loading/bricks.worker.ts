import type { BrickSource } from '../../../core/bricks/brick-source.ts';
import { ContainerBricks } from '../../../core/bricks/container-bricks.ts';
import { MadeBricks } from '../../../core/bricks/made-bricks.ts';
import { ContainerReader } from '../../../core/format/container-reader.ts';
import { makingThreads } from '../../../core/left-out/left-out-levels.ts';
import { faultToData, StriaError } from '../../../core/shared/errors.ts';
import { sourceOf } from '../../host/file-source.ts';
import { createWebTaskPool } from '../threads/web-task-pool.ts';
import type { BrickAnswer, BrickCommand, BrickLevelPlaces } from './brick-protocol.ts';
import type { LevelsBlob } from './levels-protocol.ts';
import { bricksRequested } from './open-request.ts';

// Reads bricks of one file at all levels, for the 3D view: the chunks of a .stria, or boxes of voxels.

const scope = self as unknown as {
  onmessage: (event: MessageEvent<BrickCommand>) => void;
  postMessage(answer: BrickAnswer, transfer?: Transferable[]): void;
};

let bricks: BrickSource | undefined;
const running = new Map<number, AbortController>();

scope.onmessage = ({ data }) => {
  if (data.kind === 'cancel') running.get(data.number)?.abort();
  else if (data.kind === 'read') void read(data);
  else if (data.kind === 'add-levels') inTurn(() => addLevels(data.levels));
  else if (data.kind === 'drop-levels') inTurn(async () => void (bricks instanceof MadeBricks && bricks.drop(data.timePoint)));
  else open(data.request).catch((error: unknown) => scope.postMessage({ kind: 'failed', fault: faultToData(error) }));
};

async function open(request: Extract<BrickCommand, { kind: 'open' }>['request']): Promise<void> {
  const source = await bricksRequested(request, createWebTaskPool(makingThreads(navigator.hardwareConcurrency)));
  bricks = source;
  const levels = source.levels.map((_, level) => placesOf(source, level));
  const transfer = levels.flatMap(({ recordOffsets, recordLengths, payloadLengths }) => [
    recordOffsets.buffer,
    recordLengths.buffer,
    payloadLengths.buffer,
  ]);
  const takesLevels = source instanceof MadeBricks;
  scope.postMessage({ kind: 'opened', info: source.info, levels, takesLevels }, transfer);
}

let turn = Promise.resolve();

/** Levels are added and dropped in the order of the commands. */
function inTurn(change: () => Promise<void>): void {
  turn = turn.then(change);
}

async function addLevels({ timePoint, firstLevel, blob }: LevelsBlob): Promise<void> {
  try {
    const made = sourceOf({ kind: 'blob', name: 'levels', blob });
    const levels = await ContainerBricks.open(await ContainerReader.open(made));
    if (!(bricks instanceof MadeBricks)) return;
    bricks.add({ timePoint, firstLevel, bricks: levels });
    scope.postMessage({ kind: 'renewed', timePoint, firstLevel });
  } catch (error) {
    scope.postMessage({ kind: 'levels-lost', timePoint, fault: faultToData(error) });
  }
}

function placesOf(source: BrickSource, level: number): BrickLevelPlaces {
  const { grid, factors } = source.levels[level] as BrickSource['levels'][number];
  const recordOffsets = new Float64Array(grid.count);
  const recordLengths = new Uint32Array(grid.count);
  const payloadLengths = new Uint32Array(grid.count);
  for (let number = 0; number < grid.count; number++) {
    const { range, payloadBytes } = source.place({ level, number });
    recordOffsets[number] = range?.offset ?? 0;
    recordLengths[number] = range?.length ?? 0;
    payloadLengths[number] = payloadBytes;
  }
  return { dims: grid.dims, chunkShape: grid.chunkShape, factors, recordOffsets, recordLengths, payloadLengths };
}

async function read({ number, level, chunks }: Extract<BrickCommand, { kind: 'read' }>): Promise<void> {
  const controller = new AbortController();
  running.set(number, controller);
  try {
    if (!bricks) throw new StriaError('internal', 'no file is open');
    const wanted = chunks.map((chunk) => ({ level, number: chunk }));
    const found = await bricks.read(wanted, { signal: controller.signal });
    const payloads = found.flatMap((chunk) => (!(chunk instanceof StriaError) && chunk.kind === 'coded' ? [chunk.payload] : []));
    const answers = found.map((chunk) => (chunk instanceof StriaError ? { fault: faultToData(chunk) } : chunk));
    // Payloads have buffers of their own, so they can be transferred.
    scope.postMessage(
      { kind: 'read', number, chunks: answers },
      payloads.map(({ buffer }) => buffer as ArrayBuffer),
    );
  } catch (error) {
    scope.postMessage({ kind: 'unread', number, fault: faultToData(error) });
  } finally {
    running.delete(number);
  }
}
