/** The same pieces. @param beforePiece awaited before each piece is asked for, so that the caller can pause the reading */
export async function* pausedPieces<T>(pieces: AsyncIterable<T>, beforePiece: () => Promise<void>): AsyncGenerator<T> {
  const iterator = pieces[Symbol.asyncIterator]();
  try {
    for (;;) {
      await beforePiece();
      const next = await iterator.next();
      if (next.done) return;
      yield next.value;
    }
  } finally {
    await iterator.return?.();
  }
}
