import type { BrickSource } from '../../../core/bricks/brick-source.ts';
import { faultToData, StriaError } from '../../../core/shared/errors.ts';
import type { BrickAnswer, BrickCommand, BrickLevelPlaces } from './brick-protocol.ts';
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
  else open(data.request).catch((error: unknown) => scope.postMessage({ kind: 'failed', fault: faultToData(error) }));
};

async function open(request: Extract<BrickCommand, { kind: 'open' }>['request']): Promise<void> {
  const source = await bricksRequested(request);
  bricks = source;
  const levels = source.levels.map((_, level) => placesOf(source, level));
  const transfer = levels.flatMap(({ recordOffsets, recordLengths, payloadLengths }) => [
    recordOffsets.buffer,
    recordLengths.buffer,
    payloadLengths.buffer,
  ]);
  scope.postMessage({ kind: 'opened', info: source.info, levels }, transfer);
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
