import { faultToData, inContext, StriaError } from '../../../core/shared/errors.ts';
import type { LeveledVoxels } from '../../../core/shared/volume-level.ts';
import { leveledContainer } from '../../../core/volume/leveled-container.ts';
import { NewestFirst } from '../../../core/volume/newest-first.ts';
import type { DetailAnswer, DetailCommand } from './detail-protocol.ts';
import type { LoadRequest } from './load-protocol.ts';
import { containerRequested, levelsOf, levelsRequested, openRequested } from './open-request.ts';

// Reads boxes of one file at full resolution, or from its levels, while the GPU holds a coarser volume. The file is opened with the
// first box, and again after a failure.

const scope = self as unknown as {
  onmessage: (event: MessageEvent<DetailCommand>) => void;
  postMessage(answer: DetailAnswer, transfer?: Transferable[]): void;
};

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
  else void read(data);
};

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
    const voxels = leveledContainer(reader, await levelsOf(reader));
    const read: LeveledVoxels['read'] = (box, options) =>
      voxels.read(box, options).catch((error: unknown) => {
        throw inContext(source.name, error);
      });
    return { ...voxels, read };
  }
  const { leveled: voxels } = await levelsRequested(request, await openRequested(request));
  if (!voxels) throw new StriaError('unsupported', 'this file can only be read in order');
  return voxels;
}
