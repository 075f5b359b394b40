import type { FileWindow } from '../../../shared/volume-facts.ts';
import type { TreeFile } from '../../common/file-tree.ts';
import type { DataSet } from '../parse/elements.ts';
import type { DicomHeader } from '../parse/header.ts';
import { decoderOf, namedText, numberOf, numbersOf, textOf } from '../parse/values.ts';
import type { PixelPlace } from '../pixels/frame-reader.ts';
import { checkFrames } from '../pixels/frames.ts';
import { readPixelFormat } from '../pixels/pixel-format.ts';
import { type FrameFacts, frameFactsOf } from './frame-facts.ts';
import { suvFactorOf, unitOf } from './units.ts';
import { windowsOf } from './windows.ts';

/** The facts from a file's header that are kept while others are read. */
export interface FileFacts {
  readonly file: TreeFile;
  readonly place: PixelPlace;
  /** Whether it must be unpacked to be read. */
  readonly isPacked: boolean;
  /** The file's bytes before its pixels, so that they need not be read again. Undefined if they are too many. */
  readonly head: Uint8Array | undefined;
  readonly frames: readonly FrameFacts[];
  readonly instanceUid: string;
  readonly patientId: string;
  readonly patientName: string;
  readonly studyUid: string;
  readonly studyName: string;
  readonly studyDate: string;
  readonly seriesUid: string;
  readonly seriesNumber: number | undefined;
  readonly seriesName: string;
  readonly modality: string;
  /** Whether frames follow each other in time: a film, not a stack. */
  readonly isFilm: boolean;
  /** Milliseconds between the frames of a film. */
  readonly frameTime: number | undefined;
  readonly unit: string | undefined;
  /** The factor from the file's values to standardised uptake values. */
  readonly suvFactor: number | undefined;
  readonly windows: readonly FileWindow[];
}

/** The limit for the headers that are kept from all files of a folder, in bytes. */
const keptHeads = 64 * 2 ** 20;

/** The remaining room for kept headers. */
export class HeadRoom {
  #room = keptHeads;

  keep({ head, pixels, isPacked }: DicomHeader): Uint8Array | undefined {
    const length = pixels?.valueStart ?? 0;
    if (isPacked || length > head.byteLength || length > this.#room) return undefined;
    this.#room -= length;
    // Copied, so that the rest of the read bytes can be freed.
    return head.slice(0, length);
  }
}

/** Values of Frame Increment Pointer that mean time: Frame Time, Frame Time Vector. */
const timePointers = [0x00181063, 0x00181065];

/** @throws StriaError `corrupt`, `unsupported` for unsupported pixels */
export function factsOf(file: TreeFile, header: DicomHeader, heads: HeadRoom = new HeadRoom()): FileFacts {
  const { dataSet, syntax } = header;
  if (header.pixels === undefined) throw new Error('a file without pixels has no facts');
  const decoder = decoderOf(dataSet);
  const named = (tag: number) => namedText(dataSet, tag, decoder).replace(/\^+/g, ' ').trim();
  const format = readPixelFormat(header);
  const place: PixelPlace = {
    format,
    element: header.pixels,
    syntax,
    frameOffsets: numbersOf(dataSet, 0x7fe00001),
    fileSize: header.source.size,
  };
  checkFrames(place);
  const modality = textOf(dataSet, 0x00080060);
  const pointer = incrementPointer(dataSet);
  return {
    file,
    place,
    isPacked: header.isPacked,
    head: heads.keep(header),
    frames: frameFactsOf(dataSet, format.frames),
    instanceUid: textOf(dataSet, 0x00080018),
    patientId: textOf(dataSet, 0x00100020),
    patientName: named(0x00100010),
    studyUid: textOf(dataSet, 0x0020000d),
    studyName: named(0x00081030),
    studyDate: textOf(dataSet, 0x00080020),
    seriesUid: textOf(dataSet, 0x0020000e),
    seriesNumber: numberOf(dataSet, 0x00200011),
    seriesName: named(0x0008103e) || named(0x00181030),
    modality,
    isFilm: pointer !== undefined && timePointers.includes(pointer),
    frameTime: numberOf(dataSet, 0x00181063) ?? frameTimeOfRate(dataSet),
    unit: unitOf(dataSet, modality),
    suvFactor: modality === 'PT' ? suvFactorOf(dataSet) : undefined,
    windows: windowsOf(dataSet),
  };
}

function incrementPointer(dataSet: DataSet): number | undefined {
  return numberOf(dataSet, 0x00280009);
}

function frameTimeOfRate(dataSet: DataSet): number | undefined {
  const rate = numberOf(dataSet, 0x00180040) ?? numberOf(dataSet, 0x00082144);
  return rate !== undefined && rate > 0 ? 1000 / rate : undefined;
}
