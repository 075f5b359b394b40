import type { Gpu } from '../gpu/gpu.ts';
import { StriaError } from '../shared/errors.ts';

/** Work on the GPU whose errors are to be raised. */
interface GuardedCall {
  fault: GPUError | undefined;
}

type Outcome<T> = { readonly value: T } | { readonly error: unknown };

/**
 * The guarded calls of a device. Its error scopes are one stack, so a call could pop the errors of another one that overlaps it. All calls
 * therefore share the scopes: whenever one ends, the errors since the last end count for each call that was running.
 */
class GuardedCalls {
  readonly #gpu: Gpu;
  readonly #running = new Set<GuardedCall>();
  /** Resolves once all errors that were popped are told. */
  #told = Promise.resolve();

  constructor(gpu: Gpu) {
    this.#gpu = gpu;
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
    const popped = this.#pop();
    this.#running.delete(call);
    if (this.#running.size > 0) this.#push();
    await this.#tell(popped, concerned);
    return call.fault;
  }

  /** @param start makes all its calls of WebGPU before it returns @returns what it returned, and the error that counts for it */
  async atOnce<T>(start: () => T): Promise<readonly [T, GPUError | undefined]> {
    const call: GuardedCall = { fault: undefined };
    this.#push();
    const started = start();
    await this.#tell(this.#pop(), [call]);
    return [started, call.fault];
  }

  #tell(popped: Promise<readonly GPUError[]>, concerned: readonly GuardedCall[]): Promise<void> {
    const before = this.#told;
    this.#told = popped.then(async (faults) => {
      await before;
      if (faults.length === 0) return;
      const all = [...concerned.flatMap(({ fault }) => fault ?? []), ...faults];
      // Memory that was refused makes the work that uses it invalid, so it is the cause of the other errors.
      const refused = all.find(isOutOfMemory);
      for (const one of concerned) one.fault = refused ?? all[0];
      if (faults.some(isOutOfMemory)) this.#gpu.spare.free();
    });
    return this.#told;
  }

  #push(): void {
    for (const filter of ['internal', 'validation', 'out-of-memory'] as const) this.#gpu.device.pushErrorScope(filter);
  }

  async #pop(): Promise<readonly GPUError[]> {
    const popped = [0, 1, 2].map(() => this.#gpu.device.popErrorScope().catch(() => null));
    return (await Promise.all(popped)).filter((fault) => fault !== null);
  }
}

const callsOf = new WeakMap<GPUDevice, GuardedCalls>();

function callsOn(gpu: Gpu): GuardedCalls {
  const calls = callsOf.get(gpu.device) ?? new GuardedCalls(gpu);
  callsOf.set(gpu.device, calls);
  return calls;
}

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
  const calls = callsOn(gpu);
  const call = calls.begin();
  const outcome = await outcomeOf(work);
  return raised(gpu, outcome, await calls.end(call));
}

/**
 * As `guarded`, for work that makes all its calls of WebGPU before it first awaits anything. No other call comes between, so it raises
 * only its own errors.
 */
export async function guardedAtOnce<T>(gpu: Gpu, work: () => Promise<T>): Promise<T> {
  gpu.checkAlive();
  const [outcome, fault] = await callsOn(gpu).atOnce(() => outcomeOf(work));
  return raised(gpu, await outcome, fault);
}

async function outcomeOf<T>(work: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return { value: await work() };
  } catch (error) {
    return { error };
  }
}

async function raised<T>(gpu: Gpu, found: Outcome<T>, fault: GPUError | undefined): Promise<T> {
  let outcome = found;
  if ('error' in outcome && !(outcome.error instanceof StriaError)) outcome = { error: await gpu.causeOf(outcome.error) };
  gpu.checkAlive();
  const aborted = 'error' in outcome && outcome.error instanceof StriaError && outcome.error.tag === 'aborted';
  if (fault && !aborted) {
    throw new StriaError(isOutOfMemory(fault) ? 'out-of-memory' : 'internal', `the GPU rejected the work: ${fault.message}`, {
      cause: fault,
    });
  }
  if ('error' in outcome) throw outcome.error;
  return outcome.value;
}
