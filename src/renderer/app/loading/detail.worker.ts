import { ContainerReader } from '../../../core/format/container-reader.ts';
import { leftOutLevels } from '../../../core/left-out/left-out-levels.ts';
import { faultToData, inContext, StriaError } from '../../../core/shared/errors.ts';
import type { LeveledVoxels } from '../../../core/shared/volume-level.ts';
import { ChunkCache, leveledContainer } from '../../../core/volume/levels/leveled-container.ts';
import { MadeVoxels } from '../../../core/volume/levels/made-voxels.ts';
import { NewestFirst } from '../../../core/volume/levels/newest-first.ts';
import { sourceOf } from '../../host/file-source.ts';
import type { DetailAnswer, DetailCommand } from './detail-protocol.ts';
import type { LevelsBlob } from './levels-protocol.ts';
import type { LoadRequest } from './load-protocol.ts';
import { containerRequested, levelsBeforeMaking, levelsOf, levelsRequested, openRequested } from './open-request.ts';

// Reads boxes of one file at full resolution, or from its levels, while the GPU holds a coarser volume. The file is opened with the
// first box, and again after a failure.

const scope = self as unknown as {
  onmessage: (event: MessageEvent<DetailCommand>) => void;
  postMessage(answer: DetailAnswer, transfer?: Transferable[]): void;
};

/** Decoded chunks of the made levels of all time points. */
const madeCache = new ChunkCache(2 ** 26);

let request: LoadRequest | undefined;
let opened: Promise<LeveledVoxels> | undefined;
const running = new Map<number, AbortController>();
const queue = new NewestFirst({
  async read(box, options) {
    opened ??= open();
    opened.catch(() => {
      opened = undefined;
    });
    return (await opened).read(box, options);
  },
});

scope.onmessage = ({ data }) => {
  if (data.kind === 'open') request = data.request;
  else if (data.kind === 'cancel') running.get(data.number)?.abort();
  else if (data.kind === 'add-levels') addLevels(data.levels);
  else if (data.kind === 'drop-levels') dropLevels(data.timePoint);
  else void read(data);
};

const blobs = new Map<number, LevelsBlob>();
let made: MadeVoxels | undefined;

function addLevels(levels: LevelsBlob): void {
  blobs.set(levels.timePoint, levels);
  made?.add(levels.timePoint, levels.firstLevel, openLevels(levels));
}

function dropLevels(timePoint: number): void {
  blobs.delete(timePoint);
  made?.drop(timePoint);
}

async function openLevels({ blob }: LevelsBlob): Promise<LeveledVoxels> {
  const reader = await ContainerReader.open(sourceOf({ kind: 'blob', name: 'levels', blob }));
  return leveledContainer(reader, await reader.levels(), { cache: madeCache });
}

async function read({ number, box }: Extract<DetailCommand, { kind: 'read' }>): Promise<void> {
  const controller = new AbortController();
  running.set(number, controller);
  try {
    const bytes = await queue.read(box, controller.signal);
    scope.postMessage({ number, bytes }, [bytes.buffer]);
  } catch (error) {
    scope.postMessage({ number, fault: faultToData(error) });
  } finally {
    running.delete(number);
  }
}

async function open(): Promise<LeveledVoxels> {
  if (!request) throw new StriaError('internal', 'no file was named');
  const container = await containerRequested(request);
  if (container) {
    const { reader, source } = container;
    const levels = await levelsOf(reader);
    const voxels = leveledContainer(reader, levels, { leftOut: leftOutLevels(reader.header, levels[0]?.level) });
    const read: LeveledVoxels['read'] = (box, options) =>
      voxels.read(box, options).catch((error: unknown) => {
        throw inContext(source.name, error);
      });
    return { ...voxels, read };
  }
  const volume = await openRequested(request);
  const { leveled: voxels, canMake } = await levelsRequested(request, volume);
  if (!voxels) throw new StriaError('unsupported', 'this file can only be read in order');
  if (!canMake) return voxels;
  made = new MadeVoxels(levelsBeforeMaking(volume, voxels));
  for (const levels of blobs.values()) addLevels(levels);
  return made;
}
