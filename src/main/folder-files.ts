import type { FileTree } from '../core/io/common/file-tree.ts';
import type { ByteSource } from '../core/shared/bytes.ts';
import { faultToData } from '../core/shared/errors.ts';
import { parseRange } from '../node/byte-range.ts';

/** The maximum number of bytes of a file that are in memory at once. */
const pieceBytes = 4 * 1024 * 1024;

/** Lists a folder's files as pairs of path and size, or serves a file by range. @param inner the file's path as encoded in the URL */
export async function serveFolder(folder: FileTree, inner: string | undefined, request: Request): Promise<Response> {
  try {
    if (inner === undefined) {
      const files = await folder.files({ signal: request.signal });
      return Response.json(
        files.map(({ path, size }) => [path, size]),
        { headers: { 'cache-control': 'no-store' } },
      );
    }
    const source = await folder.find(decodeURIComponent(inner));
    return source === undefined ? refusal(404) : await serveSource(source, request);
  } catch (error) {
    if (error instanceof URIError) return refusal(404);
    // Send the fault, which the page throws.
    return Response.json(faultToData(error), { status: 403, headers: { 'cache-control': 'no-store' } });
  }
}

async function serveSource(source: ByteSource, request: Request): Promise<Response> {
  const { size } = source;
  const range = parseRange(request.headers.get('range'), size);
  if (range === 'unsatisfiable') return refusal(416, { 'content-range': `bytes */${size}` });
  const { start, end } = range === 'whole' ? { start: 0, end: size - 1 } : range;
  const pieceAt = (offset: number) => source.read(offset, Math.min(pieceBytes, end + 1 - offset), { signal: request.signal });
  // Before the answer begins: after that, the page would learn only that it broke off, but not why.
  let first = request.method === 'HEAD' || start > end ? undefined : await pieceAt(start);
  let position = start;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      if (position > end) {
        controller.close();
        return;
      }
      try {
        const piece = first ?? (await pieceAt(position));
        first = undefined;
        if (piece.byteLength === 0) throw new Error('the file became shorter while it was read');
        position += piece.byteLength;
        controller.enqueue(piece);
      } catch (error) {
        controller.error(error);
      }
    },
  });
  return new Response(request.method === 'HEAD' ? null : body, {
    status: range === 'whole' ? 200 : 206,
    headers: {
      'content-type': 'application/octet-stream',
      'content-length': String(end + 1 - start),
      'accept-ranges': 'bytes',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'content-range': `bytes ${start}-${end}/${size}`,
    },
  });
}

export function refusal(status: number, headers: Record<string, string> = {}): Response {
  return new Response(null, { status, headers: { ...headers, 'cache-control': 'no-store' } });
}
