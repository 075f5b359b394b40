import { StriaError } from './errors.ts';

/**
 * A promise that the signal rejects as `aborted`. Once it is settled, the signal no longer holds it: a listener that stays would keep the
 * result for as long as the signal lives, which may be a whole file.
 * @param begin as for `new Promise`; returns what an abort has to end
 */
export function abortable<T>(
  signal: AbortSignal | undefined,
  begin: (resolve: (value: T) => void, reject: (error: unknown) => void) => () => void,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const settle =
      <V>(done: (value: V) => void) =>
      (value: V): void => {
        signal?.removeEventListener('abort', stop);
        done(value);
      };
    const stop = (): void => {
      reject(new StriaError('aborted', 'cancelled'));
      end();
    };
    let end = (): void => {};
    signal?.addEventListener('abort', stop, { once: true });
    try {
      end = begin(settle(resolve), settle(reject));
    } catch (error) {
      settle(reject)(error);
    }
  });
}
