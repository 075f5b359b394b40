import type { ByteSource } from '../../shared/bytes.ts';
import { StriaError } from '../../shared/errors.ts';
import { type JobOptions, throwIfAborted } from '../../shared/job.ts';
import { readDirectory, readNumbers, readTiffHeader, type TiffDirectory, type TiffFile } from '../tiff/tiff-directory.ts';
import { tiffTags } from '../tiff/tiff-tags.ts';

/** The maximum number of levels in a pyramid. */
const levelLimit = 64;

/** The directories of a TIFF file by number, located on demand. */
export class DirectoryChain {
  readonly file: TiffFile;
  readonly #offsets: number[] = [];
  readonly #seen = new Set<number>();
  #next: number;
  /** Directories are located one after the other, also for planes that are read at the same time. */
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(file: TiffFile) {
    this.file = file;
    this.#next = file.firstDirectory;
  }

  /** @throws StriaError `corrupt`, `not-readable`, `aborted` */
  static async open(source: ByteSource, job: JobOptions): Promise<DirectoryChain> {
    return new DirectoryChain(await readTiffHeader(source, job));
  }

  /** @throws StriaError `corrupt` if there are fewer directories; `not-readable`, `aborted` */
  async directory(number: number, job: JobOptions): Promise<TiffDirectory> {
    await this.find(number, job);
    return readDirectory(this.file, this.#offsets[number] as number, job);
  }

  /** The directory of a level: the main one, or one of those below it. @throws as `directory` */
  async level(number: number, level: number, job: JobOptions): Promise<TiffDirectory> {
    const main = await this.directory(number, job);
    if (level === 0) return main;
    const offset = (await this.levelOffsets(main, job))[level - 1];
    if (offset === undefined) throw new StriaError('corrupt', `its directory ${number} has no level ${level}`);
    return readDirectory(this.file, offset, job);
  }

  /** The offsets of a picture's smaller levels. */
  async levelOffsets(main: TiffDirectory, job: JobOptions): Promise<readonly number[]> {
    const tag = main.tags.get(tiffTags.subDirectories);
    if (tag === undefined || tag.count === 0) return [];
    if (tag.count > levelLimit) throw new StriaError('corrupt', `the TIFF file claims ${tag.count} levels of a picture`);
    return readNumbers(this.file, tag, job);
  }

  /** Locates a directory. @throws as `directory` */
  find(number: number, job: JobOptions): Promise<void> {
    const found = this.#turn.then(() => this.#find(number, job));
    this.#turn = found.catch(() => {});
    return found;
  }

  async #find(number: number, job: JobOptions): Promise<void> {
    while (this.#offsets.length <= number) {
      throwIfAborted(job.signal);
      const offset = this.#next;
      if (offset === 0) {
        throw new StriaError(
          'corrupt',
          `the file has ${this.#offsets.length} pictures, but its metadata refer to picture ${number + 1}`,
        );
      }
      if (this.#seen.has(offset)) {
        throw new StriaError('corrupt', `the TIFF file's directories form a loop: byte ${offset} occurs twice`);
      }
      this.#seen.add(offset);
      const { next } = await readDirectory(this.file, offset, job);
      this.#offsets.push(offset);
      this.#next = next;
    }
  }
}
