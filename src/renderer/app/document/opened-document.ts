import { isPictureFormat } from '../../../core/shared/source.ts';
import { type DatasetName, nameWithDataset } from '../../../core/shared/volume-names.ts';
import type { VolumeSource } from '../../../core/volume/volume-source.ts';
import type { OpenRequest } from '../loading/load-resident.ts';
import type { OpenDocument } from '../state/document-state.ts';
import { sampleTitle } from '../state/samples.ts';
import type { HeldVolume } from './document-works.ts';

/** The name of a request, to show while it is being opened and afterwards. */
export function nameOf(request: OpenRequest): string {
  if (request.kind === 'sample') return sampleTitle(request.sample);
  if (request.kind === 'space') return request.name;
  return nameWithDataset(request.file.name, datasetOf(request));
}

/** The chosen volume, if the file contains several. */
export function datasetOf(request: OpenRequest): DatasetName | undefined {
  if (request.kind !== 'file' || request.dataset === undefined) return undefined;
  return { id: request.dataset, label: request.label ?? '' };
}

/** An open volume as it is in the store. */
export function documentOf(held: HeldVolume, statistics: OpenDocument['statistics']): OpenDocument {
  const { request } = held;
  const { kept, format, source, tags, labels, level, hasFiner, isHeldBack, isPreview, lacksMemory } = held.loaded;
  // Nothing can be written beside a file at a web address.
  const canKeepLevels = held.loaded.canKeepLevels && request.kind === 'file' && request.file.handle.kind !== 'address';
  const { info, decimation, file }: VolumeSource = kept;
  // A folder of unknown size has size 0.
  const fileBytes = request.kind === 'file' && request.file.size > 0 ? request.file.size : undefined;
  const arePictures = isPictureFormat(source.format);
  const chosenFrom =
    request.kind === 'file' && (request.dataset !== undefined || request.file.folder)
      ? { file: request.file, dataset: request.dataset }
      : undefined;
  return {
    opened: held.opening,
    name: nameOf(request),
    format,
    fileBytes,
    info,
    statistics,
    decimation,
    level,
    isHeldBack,
    isPreview,
    lacksMemory,
    canKeepLevels,
    isReadWhole: decimation > 1 && file === undefined,
    isRefining: hasFiner,
    arePictures,
    tags,
    labels,
    space: request.kind === 'space' ? request.space : undefined,
    chosenFrom,
  };
}
