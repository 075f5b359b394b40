import { StriaError } from '../core/shared/errors.ts';

/** Why a thread ended that should not have. @param cause the error of its `error` event, if there was one */
export function threadFault(cause: unknown, code: number): StriaError {
  const outOfMemory = cause instanceof Error && 'code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY';
  if (outOfMemory) return new StriaError('out-of-memory', 'a CPU thread ran out of memory', { cause });
  const reason = cause instanceof Error ? cause.message : `exit code ${code}`;
  return new StriaError('internal', `a CPU thread exited unexpectedly: ${reason}`, { cause });
}
