import type { FileFormat } from '../shared/source.ts';
import type { Dims4, VolumeInfo } from '../shared/volume.ts';

/** What a container says of itself at its start. */
export interface ContainerHeader {
  readonly volume: VolumeInfo;
  /** In codec elements (see chunk-grid.ts); t is 1. */
  readonly chunkShape: Dims4;
  readonly sourceFormat: FileFormat;
  /** Name and version of the program that wrote the file. */
  readonly writer: string;
  /** Names of the features that a reader must know. */
  readonly requires: readonly string[];
}
