import type { Backend } from '../../core/chunks/backend.ts';
import type { Gpu } from '../../core/gpu/gpu.ts';

/** A backend and the resources that it holds open. */
export interface OpenedBackend {
  readonly backend: Backend;
  /** The backend's GPU, for other work. */
  readonly gpu?: Gpu | undefined;
  /** Why the backend is not a GPU, if there may be a GPU that cannot be used. */
  readonly fault?: string | undefined;
  close(): Promise<void>;
  /** Closes a GPU that is done while the caller waits for something else. `close` is still to be called. Never throws. */
  closeGpu?(): void;
}
