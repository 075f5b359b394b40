import { StriaError } from '../../shared/errors.ts';
import type { OmeDocument, OmeXmlImage, TiffData } from './ome-xml.ts';
import type { PlaneAxis, PlaneSizes } from './series.ts';

/** The maximum number of planes of an image. */
const planeLimit = 2 ** 22;
/** The maximum number of planes of all images of a document. A plate of 10,000 images of 1000 planes is below it. */
const documentPlaneLimit = 2 ** 24;
/** TiffData elements may overlap, within limits: each plane of an image may be located this many times on average. */
const overlapLimit = 4;

/** The file and directory of each plane of an image. */
export interface PlaneMap {
  readonly sizes: PlaneSizes;
  /** Names of the files. Empty for the file that contains the metadata. */
  readonly files: readonly string[];
  readonly missing: number;
  /** Undefined for a missing plane. */
  at(plane: Readonly<Record<PlaneAxis, number>>): { readonly file: string; readonly directory: number } | undefined;
  /** The highest directory of a file. */
  last(file: string): number;
}

/** The facts that a list of images needs, without the map itself: a document may have thousands of images. */
export interface PlaneSurvey {
  readonly sizes: PlaneSizes;
  readonly missing: number;
  /** The map, created on first use. */
  map(): PlaneMap;
}

/** Locates the planes of a document's images. */
export class PlaneMapper {
  readonly #fileOf: FileFinder;
  #planes = 0;

  /** @param ownName name of the file that contains the metadata; undefined if it has no pixels */
  constructor(document: OmeDocument, ownName: string | undefined) {
    this.#fileOf = fileFinder(document, ownName);
  }

  /** The location of an image's first pixels. @throws StriaError `corrupt` */
  firstPlace(image: OmeXmlImage) {
    const entry = image.tiffData.find(({ planeCount }) => planeCount !== 0) ?? wholeFile;
    return { file: this.#fileOf(entry), directory: entry.ifd ?? 0 };
  }

  /**
   * Checks where an image's planes are. Call it once for each image: it counts their planes.
   * @param samples per pixel: the number of the image's channels in each plane
   * @throws StriaError `corrupt`, `unsupported`
   */
  survey(image: OmeXmlImage, samples: number): PlaneSurvey {
    const all = image.sizes;
    const sizes = { ...all, C: all.C % samples === 0 ? all.C / samples : all.C };
    const total = sizes.Z * sizes.C * sizes.T;
    if (total > planeLimit)
      throw new StriaError('unsupported', `an image of ${total} planes is too large; the limit is ${planeLimit}`);
    if (this.#planes + total > documentPlaneLimit) {
      const sum = this.#planes + total;
      throw new StriaError(
        'unsupported',
        `with this image there are ${sum} planes; the limit for all images is ${documentPlaneLimit}`,
      );
    }
    this.#planes += total;
    const { missing } = mapPlanes(image, sizes, this.#fileOf);
    let map: PlaneMap | undefined;
    return {
      sizes,
      missing,
      map: () => {
        map ??= mapPlanes(image, sizes, this.#fileOf);
        return map;
      },
    };
  }
}

/** @throws StriaError `corrupt`, `unsupported` */
function mapPlanes(image: OmeXmlImage, sizes: PlaneSizes, fileOf: FileFinder): PlaneMap {
  const { order } = image;
  const total = sizes.Z * sizes.C * sizes.T;
  const axes = [...order.slice(2)] as [PlaneAxis, PlaneAxis, PlaneAxis];
  const numberOf = (plane: Readonly<Record<PlaneAxis, number>>) =>
    plane[axes[0]] + sizes[axes[0]] * (plane[axes[1]] + sizes[axes[1]] * plane[axes[2]]);

  const fileNumbers = new Map<string, number>();
  const lasts: number[] = [];
  const directories = new Int32Array(total).fill(-1);
  const owners = new Int32Array(total);
  const entries: readonly TiffData[] = image.tiffData.length > 0 ? image.tiffData : [wholeFile];
  let located = 0;
  for (const [index, entry] of entries.entries()) {
    const { first, ifd } = entry;
    const outside = axes.find((axis) => first[axis] >= sizes[axis]);
    if (outside !== undefined) {
      throw new StriaError(
        'corrupt',
        `the OME-XML puts pixels at ${outside} ${first[outside]}, but Size${outside} is ${sizes[outside]}`,
      );
    }
    const start = numberOf(first);
    const next = entries[index + 1];
    // Without a count, an element goes on to the end, or to the next such element, which replaces all that follows.
    const end = isOpenEnded(entry) && next && isOpenEnded(next) ? Math.min(numberOf(next.first), total) : total;
    const count = Math.min(entry.planeCount ?? (ifd === undefined ? total : 1), end - start);
    if (count <= 0) continue;
    located += count;
    if (located > overlapLimit * total + entries.length) {
      const words = `they locate the image's ${total} planes more than ${overlapLimit} times over`;
      throw new StriaError('corrupt', `the TiffData elements of the OME-XML overlap: ${words}`);
    }
    const file = fileOf(entry);
    const owner = fileNumbers.get(file) ?? fileNumbers.size;
    fileNumbers.set(file, owner);
    const from = ifd ?? 0;
    if (from + count > planeLimit) throw new StriaError('unsupported', `pictures beyond number ${planeLimit} are not supported`);
    for (let at = 0; at < count; at++) directories[start + at] = from + at;
    owners.fill(owner, start, start + count);
    lasts[owner] = Math.max(lasts[owner] ?? 0, from + count - 1);
  }
  const missing = directories.reduce((sum, directory) => sum + (directory < 0 ? 1 : 0), 0);
  // An acquisition that was stopped early lacks some planes. If most are missing, the description is probably wrong.
  if (missing > total / 2) {
    throw new StriaError('corrupt', `the OME-XML promises ${total} planes, but does not locate ${missing} of them`);
  }
  const files = [...fileNumbers.keys()];
  return {
    sizes,
    files,
    missing,
    at(plane) {
      const number = numberOf(plane);
      const directory = directories[number] as number;
      return directory < 0 ? undefined : { file: files[owners[number] as number] as string, directory };
    },
    last: (file) => lasts[fileNumbers.get(file) ?? -1] ?? 0,
  };
}

/** Without TiffData all directories are planes, in order. */
const wholeFile: TiffData = {
  ifd: undefined,
  first: { Z: 0, C: 0, T: 0 },
  planeCount: undefined,
  fileName: undefined,
  uuid: undefined,
};

/** Whether an element says neither how many planes it locates nor that it locates one. */
const isOpenEnded = ({ planeCount, ifd }: TiffData) => planeCount === undefined && ifd === undefined;

type FileFinder = (entry: TiffData) => string;

/** The name of the file with the pixels; '' for the file that contains the metadata. */
function fileFinder({ uuid, images }: OmeDocument, ownName: string | undefined): FileFinder {
  const named = new Set(images.flatMap(({ tiffData }) => tiffData.map((entry) => entry.fileName ?? entry.uuid)));
  // A single file may have been renamed since it was written.
  const isAlone = named.size <= 1;
  return (entry) => {
    const isOwn =
      isAlone ||
      (entry.fileName === undefined && entry.uuid === undefined) ||
      (entry.uuid !== undefined && entry.uuid === uuid) ||
      entry.fileName === ownName;
    if (isOwn && ownName !== undefined) return '';
    if (entry.fileName !== undefined) return entry.fileName;
    throw new StriaError('corrupt', `the OME-XML does not say which file holds ${entry.uuid ?? 'the pixels'}`);
  };
}
