import type { Backend } from '../../core/chunks/backend.ts';

/** A backend with what it keeps open. */
export interface OpenedBackend {
  readonly backend: Backend;
  close(): Promise<void>;
}
