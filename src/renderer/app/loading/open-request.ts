import { ContainerReader, isContainer } from '../../../core/format/container-reader.ts';
import type { OpenVolume } from '../../../core/io/common/volume-reader.ts';
import { openVolume } from '../../../core/io/open-volume.ts';
import { openStack } from '../../../core/io/pictures/picture-stack.ts';
import { openSample } from '../../../core/samples/sample.ts';
import type { ByteSource } from '../../../core/shared/bytes.ts';
import { sourceOf } from '../../host/file-source.ts';
import type { LoadRequest } from './load-protocol.ts';
import { remoteSiblings } from './ports.ts';

/** The .stria that was posted to a worker; undefined for other formats. @throws StriaError like the reader */
export async function containerRequested(
  request: LoadRequest,
): Promise<{ readonly reader: ContainerReader; readonly source: ByteSource } | undefined> {
  if (request.kind === 'sample' || request.pictures || request.raw) return undefined;
  const source = sourceOf(request.handle);
  return isContainer(await source.read(0, 8)) ? { reader: await ContainerReader.open(source), source } : undefined;
}

/** Opens what was posted to a worker, unless it is a .stria. @throws StriaError like the readers, and `aborted` */
export async function openRequested(request: LoadRequest, signal?: AbortSignal): Promise<OpenVolume> {
  if (request.kind === 'sample') {
    const { kind, side } = request.sample;
    return openSample({ kind, dims: [side, side, side], type: 'u8', seed: 1 });
  }
  const { handle, siblings, raw, pictures } = request;
  if (pictures) return openStack(pictures.map(sourceOf), { signal });
  return openVolume(sourceOf(handle), { siblings: remoteSiblings(siblings), raw, signal });
}
