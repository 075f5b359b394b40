import { type TransferListItem, Worker } from 'node:worker_threads';
import { StriaError } from '../core/shared/errors.ts';

/** Who waits for the answer to a message. */
interface Awaiting<Answer> {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (fault: unknown) => void;
}

interface AnsweringThreadOptions {
  /** The worker's `workerData`. */
  readonly data?: unknown;
  /** Called after each answer. */
  readonly onAnswer?: () => void;
  /** Called when the thread has ended, after the messages without an answer have failed with this fault. */
  readonly onExit?: (fault: StriaError) => void;
}

/** A worker thread that answers each message, in the order in which they were posted. If it dies, those without an answer fail. */
export class AnsweringThread<Answer> {
  readonly #worker: Worker;
  readonly #awaiting: Awaiting<Answer>[] = [];

  constructor(path: string, { data, onAnswer, onExit }: AnsweringThreadOptions = {}) {
    this.#worker = new Worker(path, { workerData: data });
    this.#worker.on('message', (answer: Answer) => {
      this.#awaiting.shift()?.resolve(answer);
      onAnswer?.();
    });
    let cause: unknown;
    this.#worker.on('error', (error) => {
      cause = error;
    });
    this.#worker.on('exit', (code) => {
      const fault = threadFault(cause, code);
      this.fail(fault);
      onExit?.(fault);
    });
  }

  /** The number of messages without an answer. */
  get pending(): number {
    return this.#awaiting.length;
  }

  post(message: unknown, transfer: readonly TransferListItem[], awaiting: Awaiting<Answer>): void {
    this.#awaiting.push(awaiting);
    this.#worker.postMessage(message, transfer);
  }

  /** Gives up the answers to all messages posted so far. */
  fail(fault: StriaError): void {
    for (const { reject } of this.#awaiting) reject(fault);
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }
}

/** The thread with the fewest messages to answer; undefined if there is none. */
export function leastBusy<Thread extends Pick<AnsweringThread<unknown>, 'pending'>>(
  threads: Iterable<Thread>,
): Thread | undefined {
  let least: Thread | undefined;
  for (const thread of threads) if (!least || thread.pending < least.pending) least = thread;
  return least;
}

/** Why a thread ended that should not have. @param cause the error of its `error` event, if there was one */
function threadFault(cause: unknown, code: number): StriaError {
  const outOfMemory = cause instanceof Error && 'code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY';
  if (outOfMemory) return new StriaError('out-of-memory', 'a CPU thread ran out of memory', { cause });
  const reason = cause instanceof Error ? cause.message : `exit code ${code}`;
  return new StriaError('internal', `a CPU thread exited unexpectedly: ${reason}`, { cause });
}
