import type { Backend } from '../core/engine/backend.ts';

/** A backend with what it keeps open. */
export interface OpenedBackend {
  readonly backend: Backend;
  close(): Promise<void>;
}
