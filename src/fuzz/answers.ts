import { noise } from '../core/io/common/source-testing.ts';
import { openAddressFile } from '../core/remote/open-address.ts';
import { Finding, job, outcome } from './outcome.ts';
import { Random } from './random.ts';

// A server whose responses fail in every way that HTTP allows, but never contain wrong bytes.

const file = noise(300_000);
const statuses = [200, 204, 206, 301, 304, 400, 401, 403, 404, 410, 412, 416, 429, 500, 503, 599];
const names = ['content-range', 'content-length', 'etag', 'last-modified', 'content-type', 'content-encoding', 'retry-after'];
const values = ['', '0', '-1', '1e9', '9007199254740993', 'gzip', 'identity', 'text/html', '"2"', 'W/"1"', 'bytes */300000'];
const ranges = [
  'bytes 0-9/300000',
  'bytes 1-131072/300000',
  'bytes 0-131071/*',
  'bytes 0-131071/9',
  'bytes 9-0/300000',
  'bytes x',
];

/** Checks that reads from such a server return the file's bytes or end in a typed fault. @param seed of the responses */
export async function checkAnswers(seed: number): Promise<void> {
  const random = new Random(seed);
  const rarity = 1 + random.below(4);
  const fetch = async (_url: URL, { headers, method, signal }: RequestInit): Promise<Response> =>
    answer(random, random.oneIn(rarity), (headers ?? {}) as Record<string, string>, method, signal ?? undefined);
  const options = { fetch, retryMs: 0, stallMs: 20, wholeLimit: 2 ** 20, ...job() };
  const opened = await outcome('open address', () => openAddressFile('https://example.org/scan.nii', options));
  if ('fault' in opened) return;
  const source = opened.value;
  for (let left = 1 + random.below(4); left > 0; left--) {
    const offset = random.below(file.length);
    const length = random.below(random.oneIn(2) ? 1000 : 200_000);
    const read = await outcome('read address', () => source.read(offset, length, job()));
    if ('fault' in read) continue;
    const wanted = Math.max(0, Math.min(length, source.size - offset));
    if (read.value.length !== wanted) throw new Finding(`${read.value.length} of ${wanted} bytes were read at ${offset}`);
    const end = Math.min(offset + wanted, file.length);
    if (Buffer.compare(read.value.subarray(0, Math.max(0, end - offset)), file.subarray(offset, Math.max(offset, end))) !== 0) {
      throw new Finding(`other bytes were read at ${offset}`);
    }
  }
}

function answer(
  random: Random,
  isBad: boolean,
  asked: Record<string, string>,
  method: string | undefined,
  signal: AbortSignal | undefined,
): Response {
  const [, first, last] = /bytes=(\d+)-(\d+)/.exec(asked.range ?? '') ?? [];
  const ignoresRange = isBad && random.oneIn(8);
  const isRange = first !== undefined && !ignoresRange;
  const start = isRange ? Number(first) : 0;
  const end = isRange ? Math.min(file.length, Number(last) + 1) : file.length;
  const headers = new Headers({ etag: '"1"', 'content-length': String(end - start) });
  if (isRange) headers.set('content-range', `bytes ${start}-${end - 1}/${file.length}`);
  let status = isRange ? 206 : 200;
  let body = file.slice(start, end);
  let isStalled = false;
  if (isBad) {
    const way = random.below(7);
    if (way === 0) throw new TypeError('fetch failed');
    if (way === 1) status = random.pick(statuses);
    if (way === 2) headers.delete(random.pick(names));
    if (way === 3) headers.set(random.pick(names), random.pick(values));
    if (way === 4) headers.set('content-range', random.pick(ranges));
    if (way === 5) body = body.slice(0, random.below(body.length + 1));
    if (way === 6) isStalled = true;
    // A page of another origin sees only the headers that the server exposes.
    if (random.oneIn(4)) for (const name of ['content-range', 'etag']) headers.delete(name);
  }
  if (method === 'HEAD' || [204, 304].includes(status)) return new Response(null, { status, headers });
  return new Response(isStalled ? stalled(body.slice(0, random.below(body.length + 1)), signal, random.oneIn(2)) : body, {
    status,
    headers,
  });
}

/** A body that breaks off, or never ends. */
function stalled(bytes: Uint8Array, signal: AbortSignal | undefined, breaks: boolean): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      if (bytes.length > 0) controller.enqueue(bytes);
      if (breaks) controller.error(new TypeError('terminated'));
      else signal?.addEventListener('abort', () => controller.error(signal.reason));
    },
  });
}
