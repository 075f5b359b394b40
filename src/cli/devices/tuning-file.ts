import { readFile } from 'node:fs/promises';
import { checkedTuning, type Tuning, tuningSchema } from '../../core/gpu/tuning.ts';
import { StriaError } from '../../core/shared/errors.ts';
import { systemFault } from '../../node/system-faults.ts';

/**
 * Reads a file from `stria bench tune`. A value that this version does not offer is replaced by the standard one.
 * @throws StriaError
 */
export async function readTuning(path: string): Promise<Tuning> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw systemFault('not-readable', path, error);
  });
  let report: unknown;
  try {
    report = JSON.parse(text);
  } catch {
    // Reported below.
  }
  const { schema, tuning } = (typeof report === 'object' && report !== null ? report : {}) as Record<string, unknown>;
  if (schema !== tuningSchema) throw new StriaError('invalid-input', `${path} was not written by \`stria bench tune\``);
  return checkedTuning(tuning);
}
