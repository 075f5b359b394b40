import type { Backend } from '../../../core/chunks/backend.ts';
import { toStriaError } from '../../../core/shared/errors.ts';

/**
 * A backend for work that must be completed even if the GPU is lost, such as writing a file: the CPU then continues and produces the
 * same bytes. It only encodes and decodes.
 * @param gpu undefined if there is no GPU now @param makeOther makes the CPU's backend; called at most once
 */
export function lastingBackend(gpu: Backend | undefined, makeOther: () => Backend): Backend {
  let other: Backend | undefined = gpu ? undefined : makeOther();
  const lasting = async <T>(work: (backend: Backend) => Promise<T>): Promise<T> => {
    if (!other && gpu) {
      try {
        return await work(gpu);
      } catch (error) {
        if (toStriaError(error).tag !== 'device-lost') throw error;
      }
    }
    other ??= makeOther();
    return work(other);
  };
  const first = gpu ?? (other as Backend);
  return {
    device: first.device,
    maxBoxBytes: first.maxBoxBytes,
    encode: (...given) => lasting((backend) => backend.encode(...given)),
    decode: (...given) => lasting((backend) => backend.decode(...given)),
    destroy: async () => other?.destroy(),
  };
}
