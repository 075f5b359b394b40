import { readFile } from 'node:fs/promises';
import { checkedTuning, type Tuning, tuningSchema } from '../../core/gpu/tuning.ts';
import { StriaError } from '../../core/shared/errors.ts';
import { systemFault } from '../../node/system-faults.ts';

/** The tuning in a file of `stria bench tune`; values that this version does not have are its standard ones. @throws StriaError */
export async function readTuning(path: string): Promise<Tuning> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw systemFault('not-readable', path, error);
  });
  let report: unknown;
  try {
    report = JSON.parse(text);
  } catch {
    // Said below.
  }
  const { schema, tuning } = (typeof report === 'object' && report !== null ? report : {}) as Record<string, unknown>;
  if (schema !== tuningSchema) throw new StriaError('invalid-input', `${path} is no file of \`stria bench tune\``);
  return checkedTuning(tuning);
}
