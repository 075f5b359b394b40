import { inContext } from '../../../shared/errors.ts';
import type { JobOptions } from '../../../shared/job.ts';
import type { TreeFile } from '../../common/file-tree.ts';
import { readHeader } from '../parse/header.ts';
import type { FrameReader } from '../pixels/frame-reader.ts';
import { openFrames } from '../pixels/frames.ts';
import type { VoxelFrame } from '../pixels/native.ts';
import type { FileFacts } from './facts.ts';
import type { SeriesFrame } from './groups.ts';

/** The number of files that stay open: enough for the frames that are read at the same time. */
const openLimit = 8;

/** Reads frames of many files. */
export class OpenFiles {
  readonly #open = new Map<TreeFile, Promise<FrameReader>>();
  readonly #isAlone: boolean;

  /** @param isAlone whether the volume has only one file, which messages need not name */
  constructor(isAlone: boolean) {
    this.#isAlone = isAlone;
  }

  /** As `FrameReader.read`. @throws StriaError in the context of the file */
  async read(frame: SeriesFrame, job: JobOptions = {}, into?: ArrayBuffer): Promise<VoxelFrame> {
    try {
      const reader = await this.#reader(frame, job);
      return await reader.read(frame.index, job, into);
    } catch (error) {
      throw this.#isAlone ? error : inContext(frame.owner.file.path, error);
    }
  }

  #reader({ owner }: SeriesFrame, job: JobOptions): Promise<FrameReader> {
    const { file } = owner;
    const known = this.#open.get(file);
    this.#open.delete(file);
    const reader = known ?? openReader(owner, job);
    this.#open.set(file, reader);
    const [oldest] = this.#open.keys();
    if (this.#open.size > openLimit && oldest !== undefined) this.#open.delete(oldest);
    return reader;
  }
}

async function openReader({ file, isPacked, place }: FileFacts, job: JobOptions): Promise<FrameReader> {
  const source = await file.open(job);
  return openFrames(isPacked ? (await readHeader(source, job)).source : source, place, job);
}
