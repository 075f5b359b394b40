import { StriaError } from '../shared/errors.ts';

/** Whether a name is a web address, or that of a public bucket (`s3://`, `gs://`). */
export function isAddress(name: string): boolean {
  return /^(https?|s3|gs):\/\/./i.test(name);
}

/**
 * The https or http form of an address; `s3://bucket/key` and `gs://bucket/key` become the addresses at which Amazon and Google
 * serve public buckets.
 * @throws StriaError `invalid-input`
 */
export function urlOfAddress(address: string): URL {
  const text = address.trim();
  const bucket = /^(s3|gs):\/\/([^/]+)\/?(.*)$/is.exec(text);
  if (bucket) return bucketUrl(bucket[1]?.toLowerCase() as 's3' | 'gs', bucket[2] as string, bucket[3] as string);
  if (!isAddress(text) || !URL.canParse(text)) {
    throw new StriaError(
      'invalid-input',
      `'${text}' is not an address that Stria opens: it must begin with https://, http://, s3:// or gs://`,
    );
  }
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') {
    throw new StriaError('invalid-input', `${shownAddress(url)}: Stria does not send names and passwords; leave them out`);
  }
  url.hash = '';
  return url;
}

/** Keys are taken as they are: in a bucket, `?` and `#` are ordinary characters. */
function bucketUrl(kind: 's3' | 'gs', bucket: string, key: string): URL {
  if (!/^[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]$/i.test(bucket)) {
    throw new StriaError('invalid-input', `'${bucket}' is not the name of a bucket`);
  }
  const path = key.split('/').map(encodeURIComponent).join('/');
  if (kind === 'gs') return new URL(`https://storage.googleapis.com/${bucket}/${path}`);
  // The certificate of Amazon's hosts does not include bucket names with dots.
  const isHost = /^[a-z0-9-]+$/.test(bucket);
  return new URL(isHost ? `https://${bucket}.s3.amazonaws.com/${path}` : `https://s3.amazonaws.com/${bucket}/${path}`);
}

/** An address for messages: without its query, which may hold keys. */
export function shownAddress(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname}`;
}

/** The name of the file or folder at an address: `a b.zarr` for `https://example.org/data/a%20b.zarr/?key=1`. */
export function nameOfAddress(url: URL): string {
  const last = url.pathname.replace(/\/+$/, '').split('/').at(-1) ?? '';
  try {
    // A name must not lead to another folder where it becomes part of a path.
    return decodeURIComponent(last).replace(/[/\\\0]/g, '_') || url.host;
  } catch {
    return last;
  }
}

/** Where the file at an address lies, to show: the server and the folder. */
export function placeOfAddress(address: string): string {
  const url = urlOfAddress(address);
  return `${url.host}${url.pathname.replace(/\/+$/, '').replace(/\/[^/]*$/, '')}`;
}

/** The same address with another path below `folder`, a path that ends without `/`. */
export function urlBelow(url: URL, folder: string, path: string): URL {
  const below = new URL(url);
  below.pathname = `${folder}/${path.split('/').map(encodeURIComponent).join('/')}`;
  return below;
}

/** Whether only this machine answers to a host name. */
export function isLoopbackName(host: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/i.test(host);
}

/** `12.3 MB`, for messages. */
export function shownBytes(bytes: number): string {
  if (bytes < 1e6) return `${bytes} bytes`;
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
}
