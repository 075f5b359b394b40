import type { EncodedChunk } from '../../../core/format/chunk.ts';
import type { ChunkShape } from '../../../core/format/chunk-grid.ts';
import type { RawLayout } from '../../../core/io/common/volume-reader.ts';
import type { FaultData } from '../../../core/shared/errors.ts';
import type { SourceDescription } from '../../../core/shared/source.ts';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import type { FileHandle } from '../../host/host.ts';
import type { SampleChoice } from '../state/samples.ts';

/** What is to be loaded, as it can be posted to the worker. */
export type LoadRequest =
  | {
      readonly kind: 'file';
      readonly handle: FileHandle;
      /** Finds the files beside it (`serveSiblings`). */
      readonly siblings: MessagePort;
      readonly raw: RawLayout | undefined;
      /** Given: not `handle` is opened but the stack that these make. */
      readonly pictures: readonly FileHandle[] | undefined;
    }
  | { readonly kind: 'sample'; readonly sample: SampleChoice };

/** From the window to the worker. */
export type LoadCommand =
  | { readonly kind: 'open'; readonly request: LoadRequest }
  /** Answers 'info': a .stria can give its chunks as they are, everything can give voxels. */
  | { readonly kind: 'start'; readonly as: 'voxels' | 'chunks' }
  /** So many bytes may be sent more. */
  | { readonly kind: 'credit'; readonly bytes: number };

/** From the worker to the window. */
export type LoadMessage =
  | {
      readonly kind: 'info';
      readonly info: VolumeInfo;
      /** `NIfTI`, `Stria (NIfTI)`. */
      readonly format: string;
      /** In codec elements; given by a .stria. */
      readonly chunkShape: ChunkShape | undefined;
      /** What a recovered .stria lacks, in words: 0 stands for those voxels. */
      readonly lost: string | undefined;
      /** No more than this many compressed bytes will come; given by a .stria. */
      readonly payloadBytes: number | undefined;
      /** Its planes were pictures, each by itself. */
      readonly arePictures: boolean;
    }
  | { readonly kind: 'voxels'; readonly bytes: Uint8Array<ArrayBuffer> }
  /** The next chunks, in order. */
  | { readonly kind: 'chunks'; readonly chunks: readonly EncodedChunk[]; readonly payloadBytes: number }
  | { readonly kind: 'end'; readonly source: SourceDescription }
  | { readonly kind: 'fault'; readonly fault: FaultData };

/** The worker may be ahead of the GPU by so many bytes. */
export const initialCreditBytes = 64 * 2 ** 20;
