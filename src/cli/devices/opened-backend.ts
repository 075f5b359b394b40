import type { Backend } from '../../core/chunks/backend.ts';

/** A backend and the resources that it holds open. */
export interface OpenedBackend {
  readonly backend: Backend;
  /** Why it is not a GPU, if one may be there that cannot be used. */
  readonly fault?: string | undefined;
  close(): Promise<void>;
}
