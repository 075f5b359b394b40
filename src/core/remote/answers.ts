// What the headers of an answer say about a file. Pages see only those that the server exposes, so each may be missing.

/** Which version of a file an answer holds. */
export interface FileVersion {
  readonly etag: string | undefined;
  readonly modified: string | undefined;
}

export interface AnswerFacts {
  readonly name: string;
  readonly version: FileVersion;
}

export function versionOf(headers: Headers): FileVersion {
  return { etag: headers.get('etag') ?? undefined, modified: headers.get('last-modified') ?? undefined };
}

/** Two answers hold the same version unless they say otherwise. */
export function isSameVersion(a: FileVersion, b: FileVersion): boolean {
  if (a.etag !== undefined && b.etag !== undefined) return a.etag.replace(/^W\//, '') === b.etag.replace(/^W\//, '');
  return a.modified === undefined || b.modified === undefined || a.modified === b.modified;
}

/** Asks for a part of this version only. A weak ETag never matches, so it is not sent. */
export function versionHeaders({ etag, modified }: FileVersion): Record<string, string> {
  if (etag !== undefined) return etag.startsWith('"') ? { 'if-match': etag } : {};
  return modified === undefined ? {} : { 'if-unmodified-since': modified };
}

/** `bytes 0-99/1234`; `bytes *\/0` has no first byte. Undefined if it is missing or unreadable. */
export function contentRange(headers: Headers): { first: number; last: number; size: number | undefined } | undefined {
  const match = /^bytes\s+(?:(\d+)-(\d+)|\*)\/(\d+|\*)$/i.exec(headers.get('content-range')?.trim() ?? '');
  if (!match) return undefined;
  const [, first, last, size] = match;
  return {
    first: Number(first ?? 0),
    last: Number(last ?? -1),
    size: size === '*' ? undefined : Number(size),
  };
}

/** Whether the bytes on the way are not those of the file. */
export function isCoded(headers: Headers): boolean {
  const coding = headers.get('content-encoding')?.trim().toLowerCase() ?? '';
  return coding !== '' && coding !== 'identity';
}

/** The file's name: the one that the answer gives to downloads, if the address has none with an ending. */
export function nameInAnswer(headers: Headers, name: string): string {
  if (name.includes('.')) return name;
  const disposition = headers.get('content-disposition') ?? '';
  const given = /filename="([^"]+)"|filename=([^;\s]+)/i.exec(disposition);
  const found = (given?.[1] ?? given?.[2])?.split(/[/\\]/).at(-1);
  return found?.includes('.') ? found : name;
}
