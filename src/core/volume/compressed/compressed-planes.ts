import type { PlaneBox, PlaneReader } from '../plane-reader.ts';
import { CompressedLayers, type LayerBox, type LayerSource } from './compressed-layers.ts';

/**
 * Reads planes by decoding a compressed volume's layers of chunks across z, or all time points of its chunks at once. Each is decoded
 * once if planes are read in order.
 */
export function compressedPlanes(source: LayerSource): PlaneReader {
  const { gpu, grid } = source;
  const scope = gpu.scope('decode');
  const holdsSeveral = grid.timePointsPerChunk > 1;
  const layers = new CompressedLayers(source, holdsSeveral ? undefined : 2, scope, scope);
  return {
    async read(plane) {
      const depth = grid.dims[2];
      const z = plane % depth;
      const t = (plane - z) / depth;
      const commands = gpu.commands('decode');
      const firstOfChunk = (t - (t % grid.timePointsPerChunk)) * depth;
      const boxes = layers.record(commands, layers.layerAt([0, 0, z]), t).map((box) => planeBoxOf(box, firstOfChunk));
      await commands.submit();
      return { boxes, endPlane: Math.max(...boxes.map(({ firstPlane, planeCount }) => firstPlane + planeCount)) };
    },
    destroy: () => scope.destroy(),
  };
}

/** A decoded box as a `PlaneBox`. @param plane number of the first plane of the chunks' first time point, or 0 to count from there */
export function planeBoxOf({ voxels, origin }: LayerBox, plane: number): PlaneBox {
  const [, firstRow, z] = origin;
  const [, rowCount, planeCount] = voxels.dims;
  return { voxels, firstRow, rowCount, firstPlane: plane + z, planeCount };
}
