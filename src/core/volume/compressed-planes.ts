import { CompressedLayers, type LayerSource } from './compressed-layers.ts';
import type { PlaneBox, PlaneReader } from './plane-reader.ts';

/**
 * Decodes a compressed volume's layers of chunks across z, or all time points that its chunks hold: each once if planes are read in
 * order.
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
      const boxes = layers.record(commands, layers.layerAt([0, 0, z]), t).map(({ voxels, origin }): PlaneBox => {
        const firstPlane = firstOfChunk + origin[2];
        return { voxels, firstRow: origin[1], rowCount: voxels.dims[1], firstPlane, planeCount: voxels.dims[2] };
      });
      await commands.submit();
      return { boxes, endPlane: Math.max(...boxes.map(({ firstPlane, planeCount }) => firstPlane + planeCount)) };
    },
    destroy: () => scope.destroy(),
  };
}
