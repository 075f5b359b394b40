import type { JobOptions } from '../../../shared/job.ts';
import type { PixelElement } from '../parse/elements.ts';
import type { TransferSyntax } from '../parse/transfer-syntax.ts';
import type { VoxelFrame } from './native.ts';
import type { PixelFormat } from './pixel-format.ts';

/** Where a file's pixels are, and how to read them. */
export interface PixelPlace {
  readonly format: PixelFormat;
  readonly element: PixelElement;
  readonly syntax: TransferSyntax;
  /** Extended Offset Table: where frames begin in the encapsulated pixels. Mostly empty. */
  readonly frameOffsets: readonly number[];
  /** Of the file, unpacked, in bytes. */
  readonly fileSize: number;
}

/** The frames of one file, which can be read in any order. */
export interface FrameReader {
  /** @throws StriaError `corrupt`, `unsupported`, `not-readable`, `aborted` */
  read(index: number, job?: JobOptions): Promise<VoxelFrame>;
}
