import { preferences } from '../../../core/codec/codec.ts';
import { chainNames } from '../../../core/codecs/registry.ts';
import { blendings } from '../../../core/draw/slice-pass.ts';
import {
  asArray,
  asCount,
  asObject,
  asText,
  asWord,
  type JsonObject,
  jsonLines,
  parseJsonObject,
} from '../../../core/format/json.ts';
import { maxTextLength } from '../../../core/format/layout.ts';
import type { RawLayout } from '../../../core/io/common/volume-reader.ts';
import { isAddress } from '../../../core/remote/address.ts';
import { type SampleKind, sampleKinds } from '../../../core/samples/sample-kinds.ts';
import { type EmptySpace, isEmptySpace } from '../../../core/shared/empty-space.ts';
import { StriaError, toStriaError } from '../../../core/shared/errors.ts';
import { rawTypes } from '../../../core/shared/stored-voxels.ts';
import type { Dims3, Dims4 } from '../../../core/shared/volume.ts';
import { atEnds, clampRate, paces } from '../../playback/frame-clock.ts';
import type { StackAxis } from '../../playback/stacks.ts';
import { isColormapName } from '../../viewer/colors/colormaps.ts';
import { baseId, mostLayers } from '../../viewer/model/layers.ts';
import { type Measurement, measurementKinds, measuresOblique, pointCounts } from '../../viewer/model/measure.ts';
import type { OrbitPose } from '../../viewer/model/orbit-camera.ts';
import type { Viewpoints } from '../../viewer/model/same-place.ts';
import { maxZoom, minZoom, type SliceCamera } from '../../viewer/model/slice-geometry.ts';
import type { SliceAxis } from '../../viewer/model/viewer-api.ts';
import type { SavedLayer, SavedLayers, SavedSession, SessionPart, SessionSource } from '../state/saved-session.ts';
import { defaultSettings } from '../state/settings.ts';
import { curvesFrom } from './stored-curves.ts';
import { labelLookFrom, tablesOf } from './stored-labels.ts';
import { meshesOf, meshFilesOf, withOwnIds } from './stored-meshes.ts';
import { finite, motionFrom, numbersOf } from './stored-numbers.ts';

// docs/SESSION.md describes the keys.

const format = 'stria-session';
/**
 * The latest version that can be read. Version 2 added moved layers, which an earlier Stria would show in the wrong place, and
 * layers that show a channel of another volume.
 */
const latestVersion = 2;
const mostFiles = 20_000;
const mostMeasurements = 5_000;

export function isSessionName(name: string): boolean {
  return name.toLowerCase().endsWith('.stria-session');
}

/** The session of `scan.nii.gz` is `scan.stria-session`. */
export function sessionName(volumeName: string): string {
  return `${volumeName.replace(/\.gz$/i, '').replace(/(?<=.)\.[^.]*$/, '')}.stria-session`;
}

/** Writes a session as UTF-8 JSON. @throws StriaError `unsupported` if it would exceed 1 MiB or could not be read back */
export function writeSession({ source, ...rest }: SavedSession): Uint8Array<ArrayBuffer> {
  const all = Object.entries({ format, version: versionOf(rest.layers), ...source, ...rest }).filter(
    ([, value]) => value !== undefined,
  );
  const bytes = jsonLines(Object.fromEntries(all));
  if (bytes.byteLength > maxTextLength)
    throw new StriaError('unsupported', `the session would take ${bytes.byteLength} bytes; the limit is ${maxTextLength}`);
  try {
    readSession(bytes);
  } catch (error) {
    throw new StriaError('unsupported', `the session could not be opened again: ${toStriaError(error).message}`);
  }
  return bytes;
}

/** The lowest version that can express the layers. */
function versionOf({ list }: SavedLayers): number {
  return list.some(({ look }) => look.motion !== undefined || look.of !== undefined) ? 2 : 1;
}

/**
 * Reads a session. Missing keys get their initial values. @throws StriaError `corrupt` if the file is damaged or not a session,
 * `unsupported` for a later version
 */
export function readSession(bytes: Uint8Array): SavedSession {
  const all = parseJsonObject(bytes, 'the session');
  if (all.format !== format) throw new StriaError('corrupt', `"format" is not "${format}"`);
  if (asCount(all.version, 'version', 1) > latestVersion) {
    throw new StriaError('unsupported', `the session has version ${String(all.version)}, which needs a newer Stria`);
  }
  const part = (key: keyof SavedSession): JsonObject => asObject(all[key] ?? {}, key);
  const compression = part('compression');
  const playback = part('playback');
  return {
    source: sourceOf(all),
    view: part('view'),
    viewpoints: viewpointsOf(part('viewpoints')),
    layout: one(['3d', 'slice', 'slices', 'quad', 'oblique'], all.layout, defaultSettings.layout),
    sliceAxis: one(['x', 'y', 'z'], all.sliceAxis, 'z'),
    showChunks: all.showChunks === true,
    clipHandles: all.clipHandles === true,
    compression: {
      codec: one(['auto', ...chainNames()], compression.codec, defaultSettings.codec),
      axis: one(['auto', 'x', 'y', 'z'], compression.axis, defaultSettings.axis),
      prefer: one(preferences, compression.prefer, defaultSettings.prefer),
      effort: one(['normal', 'max'], compression.effort, defaultSettings.effort),
    },
    layers: layersOf(part('layers')),
    measurements: asArray(all.measurements ?? [], 'measurements', { maxLength: mostMeasurements }).map(measurementOf),
    pinnedCurves: curvesFrom(all.pinnedCurves),
    playback: {
      rate: typeof playback.rate === 'number' ? clampRate(playback.rate) : defaultSettings.playback.rate,
      pace: one(paces, playback.pace, defaultSettings.playback.pace),
      atEnd: one(atEnds, playback.atEnd, defaultSettings.playback.atEnd),
      axis: one<StackAxis | undefined>(['x', 'y', 'z', 't'], playback.axis, undefined),
    },
  };
}

function sourceOf({ sample, space, files, raw, folder, dataset }: JsonObject): SessionSource {
  if (space !== undefined) return { space: spaceOf(asObject(space, 'space')) };
  if (sample !== undefined) {
    const { kind, side } = asObject(sample, 'sample');
    const choice = { kind: asWord<SampleKind>(kind, 'sample.kind', sampleKinds), side: asCount(side, 'sample.side', 1) };
    if (choice.side > 2048) throw new StriaError('corrupt', `sample.side is ${choice.side}; the limit is 2048`);
    return { sample: choice };
  }
  const parts = asArray(files, 'files', { maxLength: mostFiles }).map((file, index): SessionPart => {
    const { path, size, fingerprint, address } = asObject(file, `files[${index}]`);
    const isPrint = fingerprint === undefined || (typeof fingerprint === 'string' && /^[0-9a-f]{16}$/.test(fingerprint));
    if (!isPrint) throw new StriaError('corrupt', `files[${index}].fingerprint is not 16 hexadecimal digits`);
    if (address !== undefined && !(typeof address === 'string' && isAddress(address))) {
      throw new StriaError('corrupt', `files[${index}].address is not a web address`);
    }
    return { path: pathOf(path, index), address, size: asCount(size, `files[${index}].size`, 0), fingerprint };
  });
  if (parts.length === 0) throw new StriaError('corrupt', 'files is empty');
  return {
    files: parts,
    raw: raw === undefined ? undefined : rawOf(asObject(raw, 'raw')),
    folder: folder === true ? true : undefined,
    dataset: dataset === undefined ? undefined : asText(dataset, 'dataset'),
  };
}

function spaceOf({ name, dims, edge, origin }: JsonObject): EmptySpace & { readonly name: string } {
  const space: EmptySpace = {
    dims: numbersOf(dims, 'space.dims', 3) as unknown as Dims3,
    edge: finite(edge, 'space.edge'),
    origin: numbersOf(origin, 'space.origin', 3) as unknown as Dims3,
  };
  if (!isEmptySpace(space)) throw new StriaError('corrupt', 'space is not a valid grid');
  return { name: asText(name, 'space.name'), ...space };
}

function pathOf(value: unknown, index: number): string {
  const path = asText(value, `files[${index}].path`);
  const isRelative = path.split('/').every((step) => step !== '' && step !== '.' && !/[\\\0]|^[A-Za-z]:/.test(step));
  if (isRelative && !path.endsWith('..')) return path;
  throw new StriaError('corrupt', `files[${index}].path is ${JSON.stringify(path)}, which is not the relative path of a file`);
}

function rawOf({ dims, type, endian, offset }: JsonObject): RawLayout {
  return {
    dims: asArray(dims, 'raw.dims', { length: 4 }).map((length) => asCount(length, 'raw.dims', 1)) as unknown as Dims4,
    type: asWord(type, 'raw.type', rawTypes),
    endian: one(['little', 'big'], endian, 'little'),
    offset: asCount(offset ?? 0, 'raw.offset', 0),
  };
}

function viewpointsOf(views: JsonObject): Viewpoints {
  const what = (key: string): string => `viewpoints.${key}`;
  const slice = (name: SliceAxis): SliceCamera | undefined => {
    if (views[name] === undefined) return undefined;
    const { zoom, center } = asObject(views[name], what(name));
    const at = center === undefined ? undefined : numbersOf(center, what(`${name}.center`), 2);
    const within = Math.min(maxZoom, Math.max(minZoom, finite(zoom, what(`${name}.zoom`))));
    return { zoom: within, center: at as unknown as SliceCamera['center'] };
  };
  const orbit = views['3d'] === undefined ? undefined : asObject(views['3d'], what('3d'));
  const place = (key: string) => numbersOf(orbit?.[key], what(`3d.${key}`), 3) as unknown as OrbitPose['target'];
  return {
    '3d': orbit && {
      position: place('position'),
      target: place('target'),
      zoom: finite(orbit.zoom, what('3d.zoom')),
      aspect: Math.min(100, Math.max(0.01, finite(orbit.aspect ?? 1, what('3d.aspect')))),
    },
    x: slice('x'),
    y: slice('y'),
    z: slice('z'),
  };
}

function layersOf({ base, solo, list, meshes, meshFiles, tables }: JsonObject): SavedLayers {
  const { isVisible, opacity, labels } = asObject(base ?? {}, 'layers.base');
  const loaded = tablesOf(tables);
  const layers = asArray(list ?? [], 'layers.list', { maxLength: mostLayers }).map((layer, index) =>
    layerOf(layer, index, loaded),
  );
  const ids = layers.map(({ look }) => look.id);
  if (new Set(ids).size < ids.length) throw new StriaError('corrupt', 'two layers have the same id');
  for (const { source, look } of layers) {
    const isKnown =
      look.of === undefined || look.of === baseId || layers.some((other) => other.look.id === look.of && other.source);
    const isOwn = look.of === undefined;
    if (!isKnown || (isOwn && !source)) throw new StriaError('corrupt', `the layer ${look.name} has no volume`);
  }
  // Sessions of earlier versions may contain the same id twice.
  const taken = new Set([baseId, ...ids]);
  const surfaces = {
    meshes: withOwnIds(meshesOf(meshes, [baseId, ...ids]), taken),
    meshFiles: withOwnIds(meshFilesOf(meshFiles, sourceOf), taken),
  };
  return {
    base: {
      isVisible: isVisible !== false,
      opacity: partOf(opacity, 1),
      labels: labelLookFrom(labels, loaded, 'layers.base.labels'),
    },
    solo: one<string | undefined>([...taken], solo, undefined),
    list: layers,
    ...surfaces,
    tables: loaded,
  };
}

function layerOf(value: unknown, index: number, tables: SavedLayers['tables']): SavedLayer {
  const what = (key: string): string => `layers.list[${index}].${key}`;
  const { source, look } = asObject(value, `layers.list[${index}]`);
  const stored = asObject(look, what('look'));
  const [low, high] = numbersOf(stored.window, what('look.window'), 2) as [number, number];
  return {
    source: source === undefined ? undefined : sourceOf(asObject(source, what('source'))),
    look: {
      id: asText(stored.id, what('look.id')),
      of: stored.of === undefined ? undefined : asText(stored.of, what('look.of')),
      name: asText(stored.name, what('look.name')),
      isVisible: stored.isVisible !== false,
      opacity: partOf(stored.opacity, 1),
      blending: one(blendings, stored.blending, 'over'),
      colormap: typeof stored.colormap === 'string' && isColormapName(stored.colormap) ? stored.colormap : 'gray',
      inverted: stored.inverted === true,
      window: [low, high],
      hidesBelow: stored.hidesBelow === true,
      smooth: stored.smooth === true,
      outline: stored.outline === true,
      labels: labelLookFrom(stored.labels, tables, what('look.labels')),
      channel: stored.channel === undefined ? 0 : asCount(stored.channel, what('look.channel'), 0),
      ...(stored.motion !== undefined && { motion: motionFrom(stored.motion, what('look.motion')) }),
    },
  };
}

/** A number from 0 to 1. */
function partOf(value: unknown, fallback: number): number {
  return typeof value === 'number' && Number.isFinite(value) ? Math.min(1, Math.max(0, value)) : fallback;
}

function measurementOf(value: unknown, index: number): Measurement {
  const what = (key: string): string => `measurements[${index}].${key}`;
  const { id, kind, name, axis, oblique, timePoint, points } = asObject(value, `measurements[${index}]`);
  const known = asWord(kind, what('kind'), measurementKinds);
  const { turn, tilt } = oblique === undefined || !measuresOblique(known) ? {} : asObject(oblique, what('oblique'));
  const places = asArray(points, what('points'), { length: pointCounts[known] }).map((point) =>
    numbersOf(point, what('points'), 3),
  );
  return {
    id: asText(id, what('id')),
    kind: known,
    name: name === '' ? '' : asText(name, what('name')),
    axis: asWord<SliceAxis>(axis, what('axis'), ['x', 'y', 'z']),
    ...(turn !== undefined && {
      oblique: { turn: finite(turn, what('oblique.turn')), tilt: finite(tilt, what('oblique.tilt')) },
    }),
    timePoint: asCount(timePoint, what('timePoint'), 0),
    points: places as unknown as Measurement['points'],
  };
}

/** An unknown name is treated like a missing one, since it only affects how something looks. */
function one<T>(options: readonly T[], value: unknown, fallback: T): T {
  return options.includes(value as T) ? (value as T) : fallback;
}
