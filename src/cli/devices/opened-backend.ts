import type { Backend } from '../../core/chunks/backend.ts';

/** A backend and the resources that it holds open. */
export interface OpenedBackend {
  readonly backend: Backend;
  close(): Promise<void>;
}
