import { maxLayerBytes } from '../../chunks/chunk-shape.ts';
import { elementBytes } from '../../shared/volume.ts';
import { slabTargetBytes } from '../pipeline.ts';
import { ReusedBytes } from '../slabs.ts';
import type { SlabDecoder } from './slab-decoder.ts';

/** Whole rows of some planes, for each of a voxel's samples. */
export interface SampleBand {
  readonly rows: number;
  readonly planes: number;
  /** In the order of the samples. Valid until the next band is requested. */
  readonly samples: readonly Uint8Array<ArrayBuffer>[];
}

export interface SampleBands {
  /** The size of the largest band in bytes. */
  readonly heldBytes: number;
  bands(): AsyncGenerator<SampleBand>;
}

/**
 * A volume whose samples of one kind follow each other, in bands that hold all samples of their places. The volume has `count`
 * samples: sample c at time point i of n is at t = c × n + i. Holds some rows of chunks of each of them; where chunks are
 * deeper than one slice, the planes of a layer: as many as `maxLayerBytes` allows, but at least one.
 */
export function sampleBands(slabs: SlabDecoder, count: number): SampleBands {
  const { volume, grid } = slabs;
  const [width, height, depth] = grid.dims;
  const times = volume.dims[3] / count;
  const rowBytes = volume.dims[0] * elementBytes(volume.type);
  const chunkHeight = Math.min(grid.chunkShape[1], height);
  const isFlat = grid.layerBox(0).shape[2] === 1;
  const atLeastOne = (number: number) => Math.max(1, Math.floor(number));
  const chunkRows = isFlat ? atLeastOne(slabTargetBytes / (rowBytes * chunkHeight * count)) : grid.counts[1];
  const heldRows = Math.min(chunkRows * chunkHeight, height);
  const heldPlanes = isFlat ? 1 : Math.min(grid.chunkShape[2], depth, atLeastOne(maxLayerBytes / (rowBytes * height * count)));
  return {
    heldBytes: heldRows * heldPlanes * rowBytes * count,
    async *bands() {
      const buffers = Array.from({ length: count }, () => new ReusedBytes());
      for (let time = 0; time < times; time++) {
        for (let z = 0, planes = 0; z < depth; z += planes) {
          // Up to the end of a layer.
          planes = Math.min(heldPlanes, grid.chunkShape[2] - (z % grid.chunkShape[2]), depth - z);
          for (let y = 0; y < height; y += heldRows) {
            const rows = Math.min(heldRows, height - y);
            const samples: Uint8Array<ArrayBuffer>[] = [];
            for (const [sample, buffer] of buffers.entries()) {
              const bytes = buffer.take(rows * planes * rowBytes);
              const plane = (sample * times + time) * depth + z;
              await slabs.decodeRegion({ origin: [0, y, plane], dims: [width, rows, planes] }, bytes);
              samples.push(bytes);
            }
            yield { rows, planes, samples };
          }
        }
      }
    },
  };
}
