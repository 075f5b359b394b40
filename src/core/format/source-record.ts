import { deflateBytes, inflateToLength } from '../io/common/deflated-bytes.ts';
import type { ByteSource } from '../shared/bytes.ts';
import { StriaError } from '../shared/errors.ts';
import type { JobOptions } from '../shared/job.ts';
import {
  type FileFormat,
  fileFormats,
  leastDeflated,
  type SourceDescription,
  type SourcePart,
  safeName,
} from '../shared/source.ts';
import { checkStored, maxSamples, type StoredVoxels, storedFormNames } from '../shared/stored-voxels.ts';
import type { Endian } from '../shared/volume.ts';
import { ByteBuilder } from './byte-cursor.ts';
import { type ContainerHeader, deflatedFeature, storedFeature } from './header.ts';
import { asArray, asCount, asObject, asText, asWord, jsonLines, parseJsonObject } from './json.ts';
import { maxDeflatedLength, maxTextLength, recordTypes } from './layout.ts';
import { encodeRecord, readRecord, recordLength, type StriaRecord } from './record.ts';

const what = 'the description of the source';
const maxParts = 64;
const blobMetaLength = 8;
const sides = ['before', 'after'] as const;
type Side = (typeof sides)[number];

/** A part of the source as SRCE describes it, with the lengths of its bytes in the source's file. */
interface PartLayout {
  readonly name: string;
  readonly hasVoxels: boolean;
  readonly before: number;
  readonly after: number;
  /** The lengths of those bytes that are deflated in the container. */
  readonly deflated: { readonly [side in Side]?: number };
}

/** The contents of SRCE. The parts' bytes are in the BLOB records that follow it. */
export interface SourceLayout {
  readonly format: FileFormat;
  readonly endian: Endian;
  readonly stored: StoredVoxels | undefined;
  readonly parts: readonly PartLayout[];
}

/** A BLOB record that SRCE announces: the bytes before or after the voxels of a part. A part without such bytes has none. */
export interface BlobPlace {
  readonly part: number;
  readonly side: Side;
  readonly recordOffset: number;
  readonly recordLength: number;
  /** If the record holds them deflated: the number of bytes that they inflate to. */
  readonly inflatedLength: number | undefined;
}

/**
 * The SRCE record and its BLOB records, consecutive from `offset` on. docs/FORMAT.md, 'SRCE and BLOB'.
 * @param deflates whether bytes may be deflated; the header must then name the feature
 */
export function* encodeSource(source: SourceDescription, offset: number, deflates: boolean): Generator<Uint8Array<ArrayBuffer>> {
  const { format, endian, stored } = source;
  let most = deflates ? maxDeflatedLength : 0;
  const bodyOf = (bytes: Uint8Array) => {
    const made = blobBody(bytes, most);
    if (made.isDeflated) most -= bytes.byteLength;
    return made;
  };
  const bodies = source.parts.map(({ before, after }) => ({ before: bodyOf(before), after: bodyOf(after) }));
  const parts = source.parts.map(({ name, hasVoxels, before, after }, part) => {
    const deflated = Object.fromEntries(
      sides.flatMap((side) => {
        const { isDeflated, body } = (bodies[part] as (typeof bodies)[number])[side];
        return isDeflated ? [[side, body.byteLength]] : [];
      }),
    );
    const lengths = { before: before.byteLength, after: after.byteLength };
    return { name: safeName(name), hasVoxels, ...lengths, ...(Object.keys(deflated).length > 0 ? { deflated } : {}) };
  });
  if (parts.length > maxParts || parts.filter((part) => part.hasVoxels).length !== 1) {
    throw new StriaError('internal', `a source has 1 to ${maxParts} parts, one of them with voxels`);
  }
  const body = jsonLines({
    format,
    endian,
    ...(stored ? { stored: { samples: stored.samples, ...(stored.as ? { as: stored.as } : {}) } } : {}),
    parts,
  });
  if (body.byteLength > maxTextLength) throw new StriaError('internal', 'the description of the source is too long');
  const description = encodeRecord({ type: recordTypes.source, offset, body });
  yield description;
  let next = offset + description.byteLength;
  for (const [part, ofPart] of bodies.entries()) {
    for (const [side, name] of sides.entries()) {
      const { body } = ofPart[name];
      if (body.byteLength === 0) continue;
      const meta = blobMeta(part, side);
      const record = encodeRecord({ type: recordTypes.blob, offset: next, meta, body });
      yield record;
      next += record.byteLength;
    }
  }
}

/**
 * The body of a BLOB record: the bytes, or what they deflate to if that saves more than SRCE needs to say so.
 * @param most longer bytes are not deflated
 */
function blobBody(bytes: Uint8Array, most: number): { readonly body: Uint8Array; readonly isDeflated: boolean } {
  if (bytes.byteLength >= leastDeflated && bytes.byteLength <= most) {
    const body = deflateBytes(bytes);
    if (body.byteLength + leastSaving <= bytes.byteLength) return { body, isDeflated: true };
  }
  return { body: bytes, isDeflated: false };
}

/** In bytes. */
const leastSaving = 64;

function blobMeta(part: number, side: number): Uint8Array<ArrayBuffer> {
  return new ByteBuilder().u32(part).u32(side).build();
}

/** Parses the untrusted body of SRCE. @throws StriaError `corrupt`, `unsupported` */
export function parseSource(record: StriaRecord): SourceLayout {
  const json = parseJsonObject(record.body, what);
  const parts = asArray(json.parts, `${what}'s parts`, { maxLength: maxParts }).map((value) => {
    const part = asObject(value, `a part in ${what}`);
    const name = asText(part.name, `a part's name in ${what}`);
    if (name !== safeName(name)) throw new StriaError('corrupt', `${what} has a part whose name is not a plain file name`);
    if (typeof part.hasVoxels !== 'boolean') throw new StriaError('corrupt', `${what} does not say which part has voxels`);
    const before = asCount(part.before, `${what}: ${name}'s before`, 0);
    const after = asCount(part.after, `${what}: ${name}'s after`, 0);
    return { name, hasVoxels: part.hasVoxels, before, after, deflated: parseDeflated(part.deflated, { name, before, after }) };
  });
  if (new Set(parts.map(({ name }) => name)).size !== parts.length)
    throw new StriaError('corrupt', `${what} has two parts of the same name`);
  if (parts.filter((part) => part.hasVoxels).length !== 1)
    throw new StriaError('corrupt', `${what} does not have exactly one part with voxels`);
  // All parts are held in memory at once, however small the file is.
  let inflated = 0;
  for (const part of parts) for (const side of sides) if (part.deflated[side] !== undefined) inflated += part[side];
  if (inflated > maxDeflatedLength) throw new StriaError('corrupt', `${what} has ${inflated} deflated bytes in total`);
  return {
    format: asWord(json.format, `${what}'s format`, fileFormats),
    endian: asWord(json.endian, `${what}'s endian`, ['little', 'big']),
    stored: json.stored === undefined ? undefined : parseStored(asObject(json.stored, `${what}'s stored`)),
    parts,
  };
}

function parseDeflated(value: unknown, part: Pick<PartLayout, 'name' | Side>): PartLayout['deflated'] {
  if (value === undefined) return {};
  const json = asObject(value, `${what}: ${part.name}'s deflated`);
  const named = sides.filter((side) => json[side] !== undefined);
  return Object.fromEntries(
    named.map((side) => {
      const length = asCount(json[side], `${what}: ${part.name}'s deflated ${side}`, 1);
      if (part[side] === 0 || Math.max(length, part[side]) > maxDeflatedLength) {
        throw new StriaError('corrupt', `${what}: ${part.name} has ${part[side]} bytes ${side}, deflated to ${length}`);
      }
      return [side, length];
    }),
  );
}

function parseStored(json: Record<string, unknown>): StoredVoxels {
  const samples = asCount(json.samples, `${what}'s samples`, 1);
  if (samples > maxSamples) throw new StriaError('corrupt', `${what} has ${samples} samples side by side`);
  return json.as === undefined ? { samples } : { samples, as: asWord(json.as, `${what}'s as`, storedFormNames) };
}

/** Whether a description fits the file's header. @throws StriaError `corrupt` */
export function checkSource({ format, stored, parts }: SourceLayout, { volume, sourceFormat, requires }: ContainerHeader): void {
  if (format !== sourceFormat) {
    throw new StriaError('corrupt', `the header names a ${sourceFormat} source, its description ${format}`);
  }
  if ((stored !== undefined) !== requires.includes(storedFeature)) {
    throw new StriaError('corrupt', `the header and ${what} differ in how the source stores its voxels`);
  }
  if (stored) checkStored(volume, stored);
  if (!requires.includes(deflatedFeature) && parts.some(({ deflated }) => Object.keys(deflated).length > 0)) {
    throw new StriaError('corrupt', `${what} has deflated bytes, which the header does not mention`);
  }
}

/** The places of the BLOB records of a SRCE record that ends at `offset`. */
export function blobPlaces(layout: SourceLayout, offset: number): BlobPlace[] {
  let next = offset;
  return layout.parts.flatMap((lengths, part) =>
    sides.flatMap((side) => {
      if (lengths[side] === 0) return [];
      const deflated = lengths.deflated[side];
      const place: BlobPlace = {
        part,
        side,
        recordOffset: next,
        recordLength: recordLength(blobMetaLength, deflated ?? lengths[side]),
        inflatedLength: deflated === undefined ? undefined : lengths[side],
      };
      next += place.recordLength;
      return [place];
    }),
  );
}

/** The source's bytes in one BLOB. @throws StriaError `corrupt` */
export async function readBlob(source: ByteSource, place: BlobPlace, options?: JobOptions): Promise<Uint8Array> {
  const record = await readRecord(source, recordTypes.blob, place.recordOffset, place.recordLength, options);
  if (blobMeta(place.part, sides.indexOf(place.side)).some((byte, at) => byte !== record.meta[at]) || record.meta.length !== 8) {
    throw new StriaError('corrupt', `the BLOB record at byte ${place.recordOffset} belongs to another part of the source`);
  }
  if (place.inflatedLength === undefined) return record.body;
  return inflateToLength(record.body, place.inflatedLength, `the content of the BLOB record at byte ${place.recordOffset}`);
}

/** The description with its bytes. `blob` returns those of one place. */
export async function joinSource(
  layout: SourceLayout,
  places: readonly BlobPlace[],
  blob: (place: BlobPlace) => Promise<Uint8Array>,
): Promise<SourceDescription> {
  const parts: SourcePart[] = [];
  for (const [part, { name, hasVoxels }] of layout.parts.entries()) {
    const bytes = { before: new Uint8Array(0) as Uint8Array, after: new Uint8Array(0) as Uint8Array };
    for (const place of places) {
      if (place.part === part) bytes[place.side] = await blob(place);
    }
    parts.push({ name, hasVoxels, ...bytes });
  }
  return { format: layout.format, endian: layout.endian, stored: layout.stored, parts };
}
