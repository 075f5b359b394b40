const pieceBytes = 2 ** 20;

/** Compresses with the platform's gzip (zlib at its default level, 6, in Node and in browsers alike), piece by piece. */
export function gzip(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return through(bytes, new CompressionStream('gzip'));
}

export function gunzip(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return through(bytes, new DecompressionStream('gzip'));
}

async function through(
  bytes: Uint8Array<ArrayBuffer>,
  stream: CompressionStream | DecompressionStream,
): Promise<Uint8Array<ArrayBuffer>> {
  const writer = stream.writable.getWriter();
  const written = (async () => {
    for (let start = 0; start < bytes.byteLength; start += pieceBytes) {
      await writer.write(bytes.subarray(start, start + pieceBytes));
    }
    await writer.close();
  })();
  const [made] = await Promise.all([new Response(stream.readable).arrayBuffer(), written]);
  return new Uint8Array(made);
}
