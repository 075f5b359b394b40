import { channelLayout, type ElementType, type VolumeInfo } from '../../../shared/volume.ts';
import { checkedSpacing } from '../../common/streamed-volume.ts';

/** OME's names of the types. */
const pixelTypes: Readonly<Record<ElementType, string>> = {
  u8: 'uint8',
  i8: 'int8',
  u16: 'uint16',
  i16: 'int16',
  u32: 'uint32',
  i32: 'int32',
  f32: 'float',
  f64: 'double',
};

const spaceUnits = { m: 'm', mm: 'mm', um: 'µm', unknown: 'pixel' } as const;
const timeUnits = { s: 's', ms: 'ms', us: 'µs', unknown: undefined } as const;

/** OME-XML of one image, whose planes are in the file's directories in the volume's order. Source: the schema OME 2016-06. */
export function omeDocument(info: VolumeInfo, name: string, creator: string): string {
  const [x, y, z] = info.dims;
  const { channelCount, timePoints } = channelLayout(info);
  const [dx, dy, dz, dt] = info.spacing.map(checkedSpacing) as [number, number, number, number];
  const unit = spaceUnits[info.spatialUnit];
  const timeUnit = timeUnits[info.timeUnit];
  const pixels = attributesOf({
    ID: 'Pixels:0',
    DimensionOrder: 'XYZTC',
    Type: pixelTypes[info.type],
    SizeX: x,
    SizeY: y,
    SizeZ: z,
    SizeC: channelCount,
    SizeT: timePoints,
    PhysicalSizeX: dx,
    PhysicalSizeXUnit: unit,
    PhysicalSizeY: dy,
    PhysicalSizeYUnit: unit,
    PhysicalSizeZ: dz,
    PhysicalSizeZUnit: unit,
    ...(timeUnit && { TimeIncrement: dt, TimeIncrementUnit: timeUnit }),
    BigEndian: 'false',
    Interleaved: 'false',
  });
  const channels = Array.from({ length: channelCount }, (_, index) => {
    const channel = info.channels?.[index];
    const color = colorNumber(channel?.color);
    return `<Channel${attributesOf({
      ID: `Channel:0:${index}`,
      ...(channel?.name && { Name: channel.name }),
      SamplesPerPixel: 1,
      ...(color !== undefined && { Color: color }),
    })}/>`;
  });
  const schema = 'http://www.openmicroscopy.org/Schemas/OME/2016-06';
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<OME xmlns="${schema}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="${schema} ${schema}/ome.xsd"${attributesOf({ Creator: creator })}>`,
    `<Image${attributesOf({ ID: 'Image:0', Name: name })}><Pixels${pixels}>${channels.join('')}`,
    `<TiffData${attributesOf({ IFD: 0, PlaneCount: z * channelCount * timePoints })}/></Pixels></Image></OME>`,
  ].join('');
}

function attributesOf(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${escaped(String(value))}"`)
    .join('');
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text of an attribute. XML has no place for most control characters. */
function escaped(text: string): string {
  return (
    text
      // biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for control characters
      .replace(/[\u0000-\u001f\ufffe\uffff]|\p{Cs}/gu, ' ')
      .replace(/[&<>"]/g, (character) => entities[character] as string)
  );
}

/** Red, green, blue and full opacity as a signed number of 32 bits. */
function colorNumber(color: string | undefined): number | undefined {
  const digits = /^#([0-9a-f]{6})$/i.exec(color ?? '')?.[1];
  return digits === undefined ? undefined : (Number.parseInt(digits, 16) << 8) | 255;
}
