import { basename } from 'node:path';
import type { Backend } from '../../core/chunks/backend.ts';
import { fingerprint } from '../../core/format/fingerprint.ts';
import { maxTextLength } from '../../core/format/layout.ts';
import { openEmptyVolume } from '../../core/samples/empty-volume.ts';
import { openSample } from '../../core/samples/sample.ts';
import { StriaError, toStriaError } from '../../core/shared/errors.ts';
import type { JobOptions } from '../../core/shared/job.ts';
import { isSessionName, readSession } from '../../renderer/app/session/session-file.ts';
import { viewFrom } from '../../renderer/app/session/stored-view.ts';
import { baseId, type LayerStack, volumeIdOf } from '../../renderer/viewer/model/layers.ts';
import type { ViewState } from '../../renderer/viewer/model/viewer-api.ts';
import type { PictureCommand } from '../arguments/parsed-command.ts';
import type { ShownView } from '../pictures/look.ts';
import { withFile } from './files.ts';
import { type PicturedSource, type PictureSession, placeOf, type SessionHosts } from './session-places.ts';
import { type VolumeWork, withStack, withVolume } from './with-volume.ts';

/** The session that a command names, as its input or by `--session`. @throws StriaError `corrupt`, `unsupported`, `not-readable` */
export async function sessionOf(
  { input, session }: Pick<PictureCommand, 'input' | 'session'>,
  job: JobOptions,
): Promise<PictureSession | undefined> {
  const path = session ?? (isSessionName(input) ? input : undefined);
  if (path === undefined) return undefined;
  if (session !== undefined && isSessionName(input)) {
    throw new StriaError('invalid-input', 'the input is also a session; give a volume with --session, or one session alone');
  }
  return withFile(path, job, async (source) => {
    if (source.size > maxTextLength) {
      throw new StriaError('corrupt', `the session has ${source.size} bytes; the limit is ${maxTextLength}`);
    }
    return { path, saved: readSession(await source.read(0, source.size, job)) };
  });
}

/** The parts of the view that the session sets. @param layers ids of the layers that were found @param meshes the meshes that were found */
export function savedView(
  { saved }: PictureSession,
  first: ViewState,
  layers: ReadonlySet<string>,
  meshes: LayerStack['meshes'],
): Partial<ViewState> {
  const { base, solo, list } = saved.layers;
  const stack: LayerStack = {
    base,
    solo,
    layers: list.map(({ look }) => look).filter((look) => look.of === baseId || layers.has(volumeIdOf(look))),
    meshes,
  };
  return { ...viewFrom(saved.view, first), layers: stack };
}

/** The view that the session's window showed. If it showed several, the 3D view. */
export function savedViewName({ saved: { layout, sliceAxis } }: PictureSession): ShownView {
  if (layout === 'slice') return sliceAxis;
  return layout === 'slices' ? 'z' : '3d';
}

/** What decodes volumes. */
interface Decoding {
  readonly backend: Backend;
  /** How many threads may make levels. Default: all. */
  readonly threads: number | undefined;
}

/**
 * Opens the file that a session names, if it is still the same, runs the work, and closes it.
 * @throws StriaError `not-readable`; `invalid-input` if it is another file; the readers' errors
 */
export async function withSessionSource<T>(
  session: PictureSession,
  source: PicturedSource,
  hosts: SessionHosts,
  { backend, threads }: Decoding,
  job: JobOptions,
  work: VolumeWork<T>,
): Promise<T> {
  if ('sample' in source) {
    const { kind, side } = source.sample;
    return work(openSample({ kind, dims: [side, side, side], type: 'u8', seed: 1 }), () => []);
  }
  if ('space' in source) return work(openEmptyVolume(source.space), () => []);
  const { files, folder, raw, dataset } = source;
  const paths = files.map((file) => placeOf(session, file));
  for (const path of paths) hosts.check(path);
  if (!folder) {
    for (const [index, path] of paths.entries()) await checkSame(path, files[index] as (typeof files)[number], job);
  }
  const [first] = paths as [string];
  return paths.length === 1 ? withVolume(first, { raw, dataset, threads }, backend, job, work) : withStack(paths, job, work);
}

/** @throws StriaError `invalid-input` if it is another file, `not-readable` */
export async function checkSame(
  path: string,
  { size, fingerprint: print }: { readonly size: number; readonly fingerprint?: string | undefined },
  job: JobOptions,
): Promise<void> {
  await withFile(path, job, async (source) => {
    const isOther = source.size !== size || (print !== undefined && (await fingerprint(source, job)) !== print);
    if (!isOther) return;
    const how = source.size === size ? 'its contents differ' : `it has ${source.size} bytes, not ${size}`;
    throw new StriaError('invalid-input', `this is not the file of the session: ${how}`);
  });
}

/** The message for a layer that cannot be read; the picture is drawn without it. */
export function layerNote(session: PictureSession, name: string, error: unknown): string {
  const fault = toStriaError(error);
  if (fault.tag === 'aborted' || fault.tag === 'device-lost') throw fault;
  return `${basename(session.path)}: the layer ${name} is left out: ${fault.fullMessage}`;
}
