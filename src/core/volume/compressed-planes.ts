import { CompressedLayers, type LayerSource } from './compressed-layers.ts';
import type { PlaneBox, PlaneReader } from './plane-reader.ts';

/** Decodes a compressed volume's layers of chunks across z, each once if planes are read in order. */
export function compressedPlanes(source: LayerSource): PlaneReader {
  const { gpu, grid } = source;
  const scope = gpu.scope('decode');
  const layers = new CompressedLayers(source, 2, scope, scope);
  return {
    async read(plane) {
      const layerBox = grid.layerBox(grid.layerOfPlane(plane));
      const layer = layers.layerAt(layerBox.origin);
      const commands = gpu.commands('decode');
      const boxes = layers.record(commands, layer, layerBox.t).map(({ voxels, origin }): PlaneBox => {
        const firstPlane = layerBox.plane + origin[2] - layerBox.origin[2];
        return { voxels, firstRow: origin[1], rowCount: voxels.dims[1], firstPlane, planeCount: voxels.dims[2] };
      });
      await commands.submit();
      return { boxes, endPlane: layerBox.plane + layerBox.shape[2] };
    },
    destroy: () => scope.destroy(),
  };
}
