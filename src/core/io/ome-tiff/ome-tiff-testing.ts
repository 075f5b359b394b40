import { type ElementType, elementBytes } from '../../shared/volume.ts';
import { joinBytes } from '../common/byte-stream.ts';
import { noise } from '../common/source-testing.ts';
import { type TestTiff, tiffFile } from '../tiff/tiff-testing.ts';

// OME-TIFF files for tests, written from the specification. Pixels depend on the plane's number, to detect misplaced planes.

export interface TestImage {
  /** The order of axes, fastest first. */
  readonly order?: string;
  readonly sizes: readonly [x: number, y: number, z: number, c: number, t: number];
  readonly type?: ElementType;
  readonly attributes?: string;
  readonly channels?: string;
  /** TiffData elements. Default: all directories in order. */
  readonly tiffData?: string;
  readonly name?: string;
}

const omeTypes: Readonly<Record<ElementType, string>> = {
  u8: 'uint8',
  i8: 'int8',
  u16: 'uint16',
  i16: 'int16',
  u32: 'uint32',
  i32: 'int32',
  f32: 'float',
  f64: 'double',
};

export function omeXml(images: readonly TestImage[], root = ''): string {
  const elements = images.map((image, index) => {
    const { order = 'XYZCT', sizes, type = 'u16', attributes = '', channels = '', name = 'cells' } = image;
    const lengths = ['X', 'Y', 'Z', 'C', 'T'].map((axis, at) => `Size${axis}="${sizes[at]}"`).join(' ');
    return `<Image ID="Image:${index}" Name="${name}"><Pixels ID="Pixels:${index}" DimensionOrder="${order}" Type="${omeTypes[type]}" ${lengths} ${attributes}>${channels}${image.tiffData ?? '<TiffData/>'}</Pixels></Image>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?><OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06" ${root}>${elements.join('')}</OME>`;
}

/** The pixels of a plane. They do not depend on its place in a file. */
export function plane(image: TestImage, z: number, c: number, t: number): Uint8Array {
  const [x, y] = image.sizes;
  return noise(x * y * elementBytes(image.type ?? 'u16'), 1 + z + 100 * c + 10_000 * t);
}

/** The planes of an image in the order of a file. */
export function planesInOrder(image: TestImage): readonly Uint8Array[] {
  const { order = 'XYZCT', sizes } = image;
  const lengths = { Z: sizes[2], C: sizes[3], T: sizes[4] };
  const [a, b, c] = [...order.slice(2)] as ('Z' | 'C' | 'T')[] as ['Z', 'C', 'T'];
  const planes: Uint8Array[] = [];
  for (let third = 0; third < lengths[c]; third++) {
    for (let second = 0; second < lengths[b]; second++) {
      for (let first = 0; first < lengths[a]; first++) {
        const at = { [a]: first, [b]: second, [c]: third } as Record<'Z' | 'C' | 'T', number>;
        planes.push(plane(image, at.Z, at.C, at.T));
      }
    }
  }
  return planes;
}

/** The voxels of an image in a volume's order: channels slowest, then time points, then planes. */
export function voxelsOfImage(image: TestImage): Uint8Array {
  return joinBytes(planesInOrder({ ...image, order: 'XYZTC' }));
}

/** A file with these planes and this description. */
export function describedTiff(
  image: TestImage,
  text: string,
  planes: readonly Uint8Array[],
  spec: Partial<TestTiff> = {},
): Uint8Array {
  const [width, height] = image.sizes;
  const firstTags = [...(spec.firstTags ?? []), { tag: 270, type: 2, values: text } as const];
  return tiffFile({ width, height, type: image.type ?? 'u16', ...spec, firstTags }, planes);
}

/** A whole OME-TIFF of one image. */
export function omeTiff(image: TestImage, spec: Partial<TestTiff> = {}): Uint8Array {
  return describedTiff(image, omeXml([image]), planesInOrder(image), spec);
}
