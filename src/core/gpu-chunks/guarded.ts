import type { Gpu } from '../gpu/gpu.ts';
import { StriaError } from '../shared/errors.ts';

/** Work on the GPU whose errors are to be raised. */
interface GuardedCall {
  fault: GPUError | undefined;
}

/**
 * The guarded calls of a device. Its error scopes are one stack, so a call could pop the errors of another one that overlaps it. All calls
 * therefore share the scopes: whenever one ends, the errors since the last end count for each call that was running.
 */
class GuardedCalls {
  readonly #device: GPUDevice;
  readonly #running = new Set<GuardedCall>();
  /** Resolves once all errors that were popped are told. */
  #told = Promise.resolve();

  constructor(device: GPUDevice) {
    this.#device = device;
  }

  begin(): GuardedCall {
    if (this.#running.size === 0) this.#push();
    const call: GuardedCall = { fault: undefined };
    this.#running.add(call);
    return call;
  }

  /** @returns the error that counts for the call */
  async end(call: GuardedCall): Promise<GPUError | undefined> {
    const concerned = [...this.#running];
    const popped = [0, 1, 2].map(() => this.#device.popErrorScope().catch(() => null));
    this.#running.delete(call);
    if (this.#running.size > 0) this.#push();
    const before = this.#told;
    this.#told = Promise.all(popped).then(async (found) => {
      await before;
      const faults = found.filter((fault) => fault !== null);
      if (faults.length === 0) return;
      const all = [...concerned.flatMap(({ fault }) => fault ?? []), ...faults];
      // Memory that was refused makes the work that uses it invalid, so it is the cause of the other errors.
      for (const one of concerned) one.fault = all.find(isOutOfMemory) ?? all[0];
    });
    await this.#told;
    return call.fault;
  }

  #push(): void {
    for (const filter of ['internal', 'validation', 'out-of-memory'] as const) this.#device.pushErrorScope(filter);
  }
}

const callsOf = new WeakMap<GPUDevice, GuardedCalls>();

function isOutOfMemory(fault: GPUError): boolean {
  return fault instanceof GPUOutOfMemoryError;
}

/**
 * Runs GPU work and raises every device error: work that the device refused (out of memory, an invalid call) would otherwise
 * read back as zeros. If several calls overlap, an error of one may be raised by each of them, but never by none.
 * @throws StriaError `out-of-memory`, `internal`, `device-lost`
 */
export async function guarded<T>(gpu: Gpu, work: () => Promise<T>): Promise<T> {
  gpu.checkAlive();
  const calls = callsOf.get(gpu.device) ?? new GuardedCalls(gpu.device);
  callsOf.set(gpu.device, calls);
  const call = calls.begin();
  let outcome: { readonly value: T } | { readonly error: unknown };
  try {
    outcome = { value: await work() };
  } catch (error) {
    outcome = { error };
  }
  const fault = await calls.end(call);
  if ('error' in outcome && !(outcome.error instanceof StriaError)) outcome = { error: await gpu.causeOf(outcome.error) };
  gpu.checkAlive();
  const aborted = 'error' in outcome && outcome.error instanceof StriaError && outcome.error.tag === 'aborted';
  if (fault && !aborted) {
    const outOfMemory = isOutOfMemory(fault);
    if (outOfMemory) gpu.spare.free();
    throw new StriaError(outOfMemory ? 'out-of-memory' : 'internal', `the GPU rejected the work: ${fault.message}`, {
      cause: fault,
    });
  }
  if ('error' in outcome) throw outcome.error;
  return outcome.value;
}
