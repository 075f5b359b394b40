import { StriaError } from './errors.ts';

/**
 * Uses bytes that may lie in mapped GPU memory. Such memory is lost with its device: the bytes then have length 0, and anything
 * written from them is unreliable.
 * @param parts must not be empty arrays
 * @throws StriaError `device-lost` if memory is lost before or during `use`; otherwise the errors of `use`
 */
export async function useLent(parts: readonly Uint8Array[], use: () => Promise<void>): Promise<void> {
  const check = (): void => {
    if (parts.some(({ byteLength }) => byteLength === 0)) {
      throw new StriaError('device-lost', 'the GPU device was lost, together with results that had not been written');
    }
  };
  check();
  try {
    await use();
  } finally {
    check();
  }
}
