import { createHash, timingSafeEqual } from 'node:crypto';
import { isLeftOut } from '../../core/io/common/file-tree.ts';

const longestAddress = 8192;

/**
 * The names in the path of a request: `['files', 'a b.nii']` for `/files/a%20b.nii?x`. A path that ends in `/` has an empty last
 * name. Undefined if a name is empty, hidden, `.` or `..`, or contains a slash, a backslash or a control character, however it is
 * encoded.
 */
export function namesInPath(address: string | undefined): readonly string[] | undefined {
  if (address === undefined || address.length > longestAddress || !address.startsWith('/')) return undefined;
  const [path = ''] = address.split('?');
  try {
    const names = path.slice(1).split('/').map(decodeURIComponent);
    const isPlain = (name: string, index: number) =>
      // biome-ignore lint/suspicious/noControlCharactersInRegex: names with control characters are refused
      (name !== '' || index === names.length - 1) && !/[/\\\u0000-\u001f\u007f]/.test(name) && !isLeftOut(name);
    return names.every(isPlain) ? names : undefined;
  } catch {
    return undefined;
  }
}

/** Compares in constant time, so that timing does not reveal where the texts differ. */
export function isSameToken(given: string, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(token));
}

/** Whether only this machine can reach a host name or address. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

/**
 * Whether a request's Host header names this machine. Another site can point a name of its own at 127.0.0.1, and its requests
 * would carry that name. Any port is allowed, because a tunnel has its own.
 */
export function isLoopbackHost(header: string | undefined): boolean {
  const match = /^(?:\[([0-9a-f:.]+)\]|([^:]+))(?::\d{1,5})?$/i.exec(header ?? '');
  return match !== null && isLoopback((match[1] ?? match[2] ?? '').toLowerCase());
}
