import { StriaError, toStriaError } from '../../../core/shared/errors.ts';
import type { LevelBox } from '../../../core/shared/volume-level.ts';
import type { VolumeSource } from '../../../core/volume/volume-source.ts';

/** The number of times that a failed read is repeated. */
const mostRetries = 3;
/** The pause before a failed read is repeated, in milliseconds; it doubles each time. */
export const firstPauseMs = 500;

/** Reads a box from a volume's file, and tries again if the file cannot be read. @throws StriaError like `LeveledVoxels.read` */
export async function readPatiently(
  { file }: Pick<VolumeSource, 'file'>,
  region: LevelBox,
  pauseMs: number,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  for (let retry = 0; ; retry++) {
    try {
      if (!file || signal.aborted) throw new StriaError('aborted', 'cancelled');
      return await file.read(region, { signal });
    } catch (error) {
      if (retry === mostRetries || toStriaError(error).tag !== 'not-readable') throw error;
      await new Promise((resolve) => setTimeout(resolve, pauseMs * 2 ** retry));
    }
  }
}
