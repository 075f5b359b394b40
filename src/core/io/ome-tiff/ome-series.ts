import type { ByteSource, SiblingFinder } from '../../shared/bytes.ts';
import { inContext, StriaError } from '../../shared/errors.ts';
import type { JobOptions } from '../../shared/job.ts';
import type { PictureShape } from '../common/picture.ts';
import { readLayout } from '../tiff/tiff-layout.ts';
import { DirectoryChain } from './directory-chain.ts';
import { omeInfo } from './ome-geometry.ts';
import type { OmeDocument, OmeXmlImage } from './ome-xml.ts';
import type { PlaneMapper } from './plane-map.ts';
import type { TiffSeries } from './series.ts';

/** The files of a set, keyed by their names in the metadata. */
export class SetFiles {
  /** The file that contains the metadata; undefined if it has no pixels. */
  readonly own: DirectoryChain | undefined;
  readonly ownName: string | undefined;
  readonly #siblings: SiblingFinder | undefined;
  readonly #sources = new Map<string, ByteSource>();
  readonly #chains = new Map<string, Promise<DirectoryChain>>();

  constructor(own: DirectoryChain | undefined, siblings: SiblingFinder | undefined) {
    this.own = own;
    this.ownName = own?.file.source.name;
    this.#siblings = siblings;
  }

  /** @param name '' for the own file. @throws StriaError `not-readable` for a missing one; `corrupt` */
  chain(name: string, job: JobOptions): Promise<DirectoryChain> {
    if (name === '' && this.own !== undefined) return Promise.resolve(this.own);
    const known = this.#chains.get(name) ?? this.#open(name, job);
    this.#chains.set(name, known);
    // A file whose opening was cancelled may be opened again.
    known.catch(() => this.#chains.delete(name));
    return known;
  }

  async #open(name: string, job: JobOptions): Promise<DirectoryChain> {
    const source = await this.find(name);
    if (source === undefined) throw missingFiles([name], 0);
    return DirectoryChain.open(source, job).catch((error: unknown) => Promise.reject(inContext(name, error)));
  }

  /** Undefined if there is none. @throws StriaError `not-readable` */
  async find(name: string): Promise<ByteSource | undefined> {
    const found = this.#sources.get(name) ?? (await this.#siblings?.(name));
    if (found !== undefined) this.#sources.set(name, found);
    return found;
  }
}

/**
 * An OME Image, after reading the directory of its first plane.
 * @throws StriaError `corrupt`, `unsupported`, `not-readable`, `aborted`
 */
export async function openOmeSeries(
  { tags }: OmeDocument,
  image: OmeXmlImage,
  mapper: PlaneMapper,
  files: SetFiles,
  job: JobOptions,
): Promise<TiffSeries> {
  const { file, directory } = mapper.firstPlace(image);
  const chain = await files.chain(file, job);
  const levels = await levelShapes(chain, directory, job);
  const largest = levels[0] as PictureShape;
  const { sizes, missing, map } = mapper.survey(image, largest.channels);
  return {
    name: image.name,
    sizes,
    levels,
    missing,
    tags: tags.length > 0 ? tags : undefined,
    describe: (level) => omeInfo(image, sizes, level, largest),
    async check(options) {
      const { files: names, last } = map();
      const others = names.filter((name) => name !== '');
      const absent: string[] = [];
      for (const name of others) if ((await files.find(name)) === undefined) absent.push(name);
      if (absent.length > 0) throw missingFiles(absent, others.length + (names.includes('') ? 1 : 0));
      if (names.includes('')) await files.own?.find(last(''), options);
    },
    async place(plane, options) {
      const found = map().at(plane);
      return found && { chain: await files.chain(found.file, options), directory: found.directory, shift: 0 };
    },
  };
}

/** The format of a picture at each of its levels, largest first. */
export async function levelShapes(chain: DirectoryChain, number: number, job: JobOptions): Promise<readonly PictureShape[]> {
  const main = await chain.directory(number, job);
  const shapes = [(await readLayout(chain.file, main, job)).shape];
  const { length } = await chain.levelOffsets(main, job);
  for (let level = 1; level <= length; level++) {
    const { shape } = await readLayout(chain.file, await chain.level(number, level, job), job);
    const [largest] = shapes as [PictureShape];
    // Previews and labels of another format are not levels.
    if (shape.type !== largest.type || shape.channels !== largest.channels || shape.width > largest.width) break;
    shapes.push(shape);
  }
  return shapes;
}

const listedNames = 5;

function missingFiles(names: readonly string[], total: number): StriaError {
  const shown = names.slice(0, listedNames).join(', ');
  const more = names.length - listedNames;
  const list = more > 0 ? `${shown} and ${more} more` : shown;
  const set = total > 1 ? `; the volume consists of ${total} files, which must be in one folder` : '';
  return new StriaError('not-readable', `${list} ${names.length > 1 ? 'are' : 'is'} missing${set}`);
}
