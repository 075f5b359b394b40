import { type FaultTag, type StriaError, toStriaError } from '../core/shared/errors.ts';

/** The faults that a damaged file may raise. Anything else is a finding. */
const allowedTags: ReadonlySet<FaultTag> = new Set([
  'corrupt',
  'unsupported',
  'invalid-input',
  'not-readable',
  'aborted',
  'several',
]);

/** Reading a large volume is cancelled after this time, and must then stop at once. */
const budgetMs = 2000;

/** A broken promise: the result of the fuzz. */
export class Finding extends Error {}

/** The value, or a fault of a kind that files may raise. @throws Finding */
export async function outcome<T>(
  what: string,
  work: () => Promise<T>,
): Promise<{ readonly value: T } | { readonly fault: StriaError }> {
  try {
    return { value: await work() };
  } catch (error) {
    if (error instanceof Finding) throw error;
    const fault = toStriaError(error);
    if (allowedTags.has(fault.tag)) return { fault };
    throw new Finding(`${what}: ${fault.tag}: ${fault.fullMessage}\n${(fault.cause as Error | undefined)?.stack ?? fault.stack}`);
  }
}

export const job = () => ({ signal: AbortSignal.timeout(budgetMs) });
