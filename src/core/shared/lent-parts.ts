import { StriaError } from './errors.ts';

/**
 * Uses bytes in memory that a GPU may have lent. Such memory is lost with its device: the bytes then have length 0, and whatever was
 * written from them is unreliable. @param parts none is empty
 * @throws StriaError `device-lost` if memory is gone before or after; otherwise as `use`
 */
export async function useLent(parts: readonly Uint8Array[], use: () => Promise<void>): Promise<void> {
  const check = (): void => {
    if (parts.some(({ byteLength }) => byteLength === 0)) {
      throw new StriaError('device-lost', 'the GPU device was lost, and with it results that were not written yet');
    }
  };
  check();
  try {
    await use();
  } finally {
    check();
  }
}
