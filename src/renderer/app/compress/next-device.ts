import { toStriaError } from '../../../core/shared/errors.ts';
import { throwIfAborted } from '../../../core/shared/job.ts';

/** The device of each try; undefined: a GPU, if there is one. */
const devices = [undefined, undefined, 'cpu'] as const;

/**
 * Does work that begins again if its GPU is lost: on a new GPU, if there is one, and then on the CPU.
 * @param work given the device, and whether it was begun before @throws StriaError of the work; `aborted`
 */
export async function onNextDevice<T>(
  work: (device: 'cpu' | undefined, isAgain: boolean) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  for (let at = 0; ; at++) {
    try {
      return await work(devices[at], at > 0);
    } catch (error) {
      if (toStriaError(error).tag !== 'device-lost' || at === devices.length - 1) throw error;
      throwIfAborted(signal);
    }
  }
}
