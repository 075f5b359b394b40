import type { OpenRequest } from '../loading/load-resident.ts';
import type { SessionSource, WaitingSession } from '../state/saved-session.ts';

/** What sessions need of the layers; `LayerVolumes` provides it. */
export interface SessionLayers {
  /** What a layer was loaded from. */
  requestOf(id: string): OpenRequest | undefined;
  /** Loads the layers of the view that is shown. @param lost what those were made from whose files were not found */
  restore(requests: ReadonlyMap<string, OpenRequest>, lost?: ReadonlyMap<string, SessionSource>): void;
  /** What a layer was made from, if its files were not found. */
  lostSourceOf(id: string): SessionSource | undefined;
}

/** What sessions need of the document; `DocumentLife` provides it. */
export interface SessionDocument {
  readonly request: OpenRequest | undefined;
  /** Frees the open volume, and starts looking for the volume of a session. */
  seek(name: string): void;
  ask(question: { readonly kind: 'waiting'; readonly session: WaitingSession }): void;
  fail(name: string, error: unknown): void;
  /** Resolves when it is shown, or has failed. */
  open(request: OpenRequest): Promise<void>;
}
