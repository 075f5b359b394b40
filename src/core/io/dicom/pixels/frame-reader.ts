import type { JobOptions } from '../../../shared/job.ts';
import type { PixelElement } from '../parse/elements.ts';
import type { TransferSyntax } from '../parse/transfer-syntax.ts';
import type { VoxelFrame } from './native.ts';
import type { PixelFormat } from './pixel-format.ts';

/** The location and format of a file's pixels. */
export interface PixelPlace {
  readonly format: PixelFormat;
  readonly element: PixelElement;
  readonly syntax: TransferSyntax;
  /** Extended Offset Table: the starts of frames in the encapsulated pixels. Usually empty. */
  readonly frameOffsets: readonly number[];
  /** Length of the unpacked file, in bytes. */
  readonly fileSize: number;
}

/** The frames of one file. They can be read in any order. */
export interface FrameReader {
  /**
   * @param into memory for a frame, which the result may use
   * @throws StriaError `corrupt`, `unsupported`, `not-readable`, `aborted`
   */
  read(index: number, job?: JobOptions, into?: ArrayBuffer): Promise<VoxelFrame>;
}
