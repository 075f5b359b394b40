import { choiceOf, type VolumeEntry } from '../../../core/io/common/volume-entry.ts';
import { faultToData } from '../../../core/shared/errors.ts';
import type { GrayThumbnail } from '../../../core/shared/volume-choice.ts';
import type { ListCommand, ListMessage } from './list-protocol.ts';
import { headersFound, listRequested } from './open-request.ts';
import { thumbnailOf } from './volume-thumbnail.ts';

// Lists the volumes of a file or folder, and makes their thumbnails one at a time, on demand.

const scope = self as unknown as {
  onmessage: (event: MessageEvent<ListCommand>) => void;
  postMessage(message: ListMessage, transfer?: Transferable[]): void;
};

let entries: ReadonlyMap<string, VolumeEntry> = new Map();
const wanted = new Set<string>();
let current: { readonly id: string; readonly cancel: AbortController } | undefined;

scope.onmessage = ({ data }) => {
  if (data.kind === 'list') {
    listRequested(data.request).then(
      (found) => {
        entries = new Map(found.map((entry) => [entry.id, entry]));
        scope.postMessage({ kind: 'choices', choices: found.map(choiceOf), headers: headersFound(data.request) });
        void work();
      },
      (error: unknown) => scope.postMessage({ kind: 'fault', fault: faultToData(error) }),
    );
  } else if (data.kind === 'thumbnail') {
    wanted.add(data.id);
    void work();
  } else {
    wanted.delete(data.id);
    if (current?.id === data.id) current.cancel.abort();
  }
};

async function pictureOf(entry: VolumeEntry, signal: AbortSignal): Promise<GrayThumbnail | undefined> {
  if (entry.thumbnail) return entry.thumbnail({ signal });
  return thumbnailOf(await entry.open({ signal }), { signal });
}

async function work(): Promise<void> {
  if (current || entries.size === 0) return;
  for (const id of wanted) {
    wanted.delete(id);
    const cancel = new AbortController();
    current = { id, cancel };
    const entry = entries.get(id);
    // A volume without a thumbnail can still be chosen.
    const thumbnail = entry && (await pictureOf(entry, cancel.signal).catch(() => undefined));
    current = undefined;
    if (!cancel.signal.aborted) scope.postMessage({ kind: 'thumbnail', id, thumbnail });
  }
}
