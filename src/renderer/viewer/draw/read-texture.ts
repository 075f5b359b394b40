import type { Gpu } from '../../../core/gpu/gpu.ts';
import { toStraight, type ViewPicture } from '../model/picture.ts';

/** The approximate size in bytes of the strips in which a texture is read. */
const stripBytes = 2 ** 26;

/**
 * Reads a texture of 8-bit colours (usage COPY_SRC) back to the CPU.
 * @param isOpaque whether to ignore its alpha
 * @throws StriaError `device-lost`
 */
export async function readTexture(gpu: Gpu, texture: GPUTexture, isOpaque: boolean): Promise<ViewPicture> {
  const { width, height } = texture;
  const rgba = new Uint8Array(width * height * 4);
  await readPixels(gpu, texture, height, rgba);
  return { width, height, rgba: toStraight(rgba, texture.format.startsWith('bgra'), isOpaque) };
}

/** Reads the first rows of a texture without conversion, four bytes per pixel. @throws StriaError `device-lost` */
export async function readPixels(gpu: Gpu, texture: GPUTexture, rowCount: number, into: Uint8Array): Promise<void> {
  using scope = gpu.scope('picture');
  const { width } = texture;
  const bytesPerRow = Math.ceil((width * 4) / 256) * 256;
  const rows = Math.min(rowCount, Math.max(1, Math.floor(stripBytes / bytesPerRow)));
  const strip = scope.buffer('strip', bytesPerRow * rows, GPUBufferUsage.COPY_SRC);
  for (let first = 0; first < rowCount; first += rows) {
    const count = Math.min(rows, rowCount - first);
    await gpu
      .commands('picture')
      .record((encoder) =>
        encoder.copyTextureToBuffer({ texture, origin: [0, first] }, { buffer: strip, bytesPerRow }, [width, count]),
      )
      .submit();
    const bytes = await gpu.read(strip, 0, bytesPerRow * count);
    for (let row = 0; row < count; row++) {
      into.set(bytes.subarray(row * bytesPerRow, row * bytesPerRow + width * 4), (first + row) * width * 4);
    }
  }
}
