import { fingerprint } from '../../../core/format/fingerprint.ts';
import { sourceOf } from '../../host/file-source.ts';
import type { HostFile, HostSink } from '../../host/host.ts';
import type { OpenRequest } from '../loading/load-resident.ts';
import { partName, type SessionFiles, type SessionPart, type SessionSource } from '../state/saved-session.ts';
import { formatCount } from '../words/units.ts';

// The files of a session: how the session names them, and which given file matches.

/** The number of pictures of a stack whose content is checked; for the others only the size is. */
const mostPrints = 16;

/** The file that a part of a session refers to, or why none matches. */
export interface FoundPart {
  readonly one?: HostFile;
  readonly reason?: string | undefined;
}

/** The given files that may be a part: those with its name, or a single file if there is a single part. */
export function candidatesOf(part: SessionPart, given: readonly HostFile[], isOnly: boolean): readonly HostFile[] {
  const named = given.filter(({ name }) => name === partName(part));
  return named.length === 0 && isOnly && given.length === 1 ? given : named;
}

/** The first candidate that matches a part of a session, or why the last one does not. */
export async function fittingOne(part: SessionPart, candidates: readonly HostFile[]): Promise<FoundPart> {
  let reason: string | undefined;
  for (const one of candidates) {
    reason = await whyAnother(one, part);
    if (reason === undefined) return { one };
  }
  return { reason };
}

/**
 * Why a file does not match a part of a session; undefined if it does. The size is compared first, so that the content is
 * read only if the size matches.
 */
export async function whyAnother(candidate: HostFile, part: SessionPart): Promise<string | undefined> {
  if (candidate.folder) return undefined;
  if (candidate.size !== part.size)
    return `${candidate.name} has ${formatCount(candidate.size)} bytes, not ${formatCount(part.size)}`;
  if (part.fingerprint === undefined || (await fingerprint(sourceOf(candidate.handle))) === part.fingerprint) return undefined;
  return `${candidate.name} has the right size but different contents`;
}

export async function sourceIn(request: OpenRequest, sink: HostSink): Promise<SessionSource> {
  if (request.kind === 'sample') return { sample: request.sample };
  return request.kind === 'space' ? { space: { name: request.name, ...request.space } } : filesIn(request, sink);
}

export async function filesIn(
  { file, raw, dataset }: Extract<OpenRequest, { kind: 'file' }>,
  sink: HostSink,
): Promise<SessionFiles> {
  if (file.folder) return { files: [{ path: file.name, address: file.address, size: 0 }], folder: true, dataset };
  const parts = file.stackOf ?? [file];
  const every = Math.ceil(parts.length / mostPrints);
  const files: SessionPart[] = [];
  for (const [index, part] of parts.entries()) {
    if (part.address !== undefined) {
      files.push({ path: part.name, address: part.address, size: part.size });
      continue;
    }
    const print = index % every === 0 ? await fingerprint(sourceOf(part.handle)) : undefined;
    files.push({ path: (await sink.relativePath?.(part)) ?? part.name, size: part.size, fingerprint: print });
  }
  return { files, raw, dataset };
}
