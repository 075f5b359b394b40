// A loopback server that is as slow as a network.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { createServer } from 'node:http';
import { basename } from 'node:path';

/**
 * Serves ranges of a file. All answers share the network's bandwidth.
 * @returns its `url`; `sent`, a line for each answer since the first request after `forget`; `stop`, which also closes the file
 */
export async function serveSlowly(path, megabits, latencyMs) {
  const handle = openSync(path, 'r');
  const { size } = fstatSync(handle);
  const bytesPerMs = (megabits * 1e6) / 8 / 1000;
  const pieceBytes = 2 ** 15;
  let freeAt = 0;
  let isStopped = false;
  const until = (time) => new Promise((next) => setTimeout(next, Math.max(0, time - performance.now())));
  const network = {
    url: '',
    sent: [],
    firstAsked: undefined,
    forget: () => {
      network.sent = [];
      network.firstAsked = undefined;
    },
    stop: () => {
      isStopped = true;
      server.closeAllConnections();
      server.close();
      closeSync(handle);
    },
  };
  const server = createServer(async (request, response) => {
    const { sent } = network;
    const cors = {
      'access-control-allow-origin': '*',
      'access-control-allow-headers': 'range, if-match',
      'access-control-expose-headers': 'content-range, etag',
      'access-control-max-age': '600',
    };
    await until(performance.now() + latencyMs);
    if (isStopped) return;
    if (request.method === 'OPTIONS') return void response.writeHead(204, cors).end();
    const [, first, last] = /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? '') ?? [0, 0, size - 1];
    const [start, end] = [Number(first), Math.min(size, Number(last) + 1)];
    const facts = { etag: '"1"', 'content-length': end - start, 'content-range': `bytes ${start}-${end - 1}/${size}` };
    response.writeHead(206, { ...cors, ...facts });
    const asked = performance.now();
    network.firstAsked ??= asked;
    for (let at = start; at < end && !response.destroyed; at += pieceBytes) {
      const piece = new Uint8Array(Math.min(pieceBytes, end - at));
      freeAt = Math.max(freeAt, performance.now()) + piece.byteLength / bytesPerMs;
      await until(freeAt);
      if (isStopped) return;
      readSync(handle, piece, 0, piece.byteLength, at);
      response.write(piece);
    }
    response.end();
    const how = response.destroyed ? ', cancelled' : '';
    const since = (time) => Math.round(time - network.firstAsked);
    const megabytes = ((end - start) / 1e6).toFixed(2);
    sent.push(`${since(asked)} to ${since(performance.now())} ms: ${megabytes} MB from ${start}${how}`);
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  network.url = `http://127.0.0.1:${server.address().port}/${basename(path)}`;
  return network;
}
