import { CompressedLayers, type LayerSource } from './compressed-layers.ts';
import type { PlaneBox, PlaneReader } from './plane-reader.ts';

/** Decodes a compressed volume's layers of chunks across z, each once where planes are read in their order. */
export function compressedPlanes(source: LayerSource): PlaneReader {
  const { gpu, grid } = source;
  const scope = gpu.scope('decode');
  const layers = new CompressedLayers(source, 2, scope, scope);
  return {
    async read(plane) {
      const [, , depth] = grid.dims;
      const timePoint = Math.floor(plane / depth);
      const layer = layers.layerAt([0, 0, plane % depth]);
      const commands = gpu.commands('decode');
      const boxes = layers.record(commands, layer, timePoint).map(({ voxels, origin }): PlaneBox => {
        const firstPlane = timePoint * depth + origin[2];
        return { voxels, firstRow: origin[1], rowCount: voxels.dims[1], firstPlane, planeCount: voxels.dims[2] };
      });
      await commands.submit();
      return { boxes, endPlane: timePoint * depth + Math.min(depth, (layer + 1) * grid.chunkShape[2]) };
    },
    destroy: () => scope.destroy(),
  };
}
