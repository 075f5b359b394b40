import type { OpenRequest } from '../loading/load-resident.ts';
import type { SessionSource, WaitingSession } from '../state/saved-session.ts';

/** The part of `LayerVolumes` that sessions need. */
export interface SessionLayers {
  /** The request that a layer was loaded from. */
  requestOf(id: string): OpenRequest | undefined;
  /** Takes the requests that load the layers of the shown view. @param lost the sources of layers whose files were not found */
  restore(requests: ReadonlyMap<string, OpenRequest>, lost?: ReadonlyMap<string, SessionSource>): void;
  /** The source of a layer whose files were not found. */
  lostSourceOf(id: string): SessionSource | undefined;
}

/** The part of `DocumentLife` that sessions need. */
export interface SessionDocument {
  readonly request: OpenRequest | undefined;
  /** Frees the open volume, and starts looking for the volume of a session. */
  seek(name: string): void;
  ask(question: { readonly kind: 'waiting'; readonly session: WaitingSession }): void;
  fail(name: string, error: unknown): void;
  /** Resolves when the volume is shown or has failed. */
  open(request: OpenRequest): Promise<void>;
}
