import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { preferences } from '../../../core/codec/codec.ts';
import { chainNames } from '../../../core/codecs/registry.ts';
import { blendings } from '../../../core/draw/slice-pass.ts';
import { type JsonObject, jsonLines } from '../../../core/format/json.ts';
import { sampleKinds } from '../../../core/samples/sample-kinds.ts';
import { elementTypes } from '../../../core/shared/volume.ts';
import { colormapNames } from '../../viewer/colors/colormaps.ts';
import { firstLabelLook } from '../../viewer/model/label-look.ts';
import { type Measurement, measurementKinds, measuresOblique, pointCounts } from '../../viewer/model/measure.ts';
import type { SavedSession } from '../state/saved-session.ts';
import { readSession, sessionName, writeSession } from './session-file.ts';

const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
const triple = fc.tuple(number, number, number);
const text = fc.string({ minLength: 1, maxLength: 40 });
const count = fc.nat({ max: 2 ** 40 });
const axis = fc.constantFrom('x', 'y', 'z');
const step = fc.stringMatching(/^[a-zéß][a-z0-9 _.-]{0,20}[a-z]$/);
const path = fc
  .array(fc.oneof(step, fc.constant('..')), { maxLength: 4 })
  .chain((steps) => step.map((last) => [...steps, last].join('/')));
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const slicePose = maybe(
  fc.record({ zoom: fc.double({ min: 0.1, max: 200, noNaN: true }), center: maybe(fc.tuple(number, number)) }),
);
const files = fc.record({
  files: fc.array(fc.record({ path, size: count, fingerprint: maybe(fc.stringMatching(/^[0-9a-f]{16}$/)) }), {
    minLength: 1,
    maxLength: 5,
  }),
  raw: maybe(
    fc.record({
      dims: fc.tuple(...([1, 2, 3, 4] as const).map(() => fc.integer({ min: 1, max: 1e6 }))) as fc.Arbitrary<
        [number, number, number, number]
      >,
      type: fc.constantFrom(...elementTypes),
      endian: fc.constantFrom('little', 'big'),
      offset: count,
    }),
  ),
});
const folder = fc.record({
  files: fc.tuple(fc.record({ path, size: fc.constant(0) })),
  folder: fc.constant(true as const),
  dataset: maybe(text),
});
const sample = fc.record({
  sample: fc.record({ kind: fc.constantFrom(...sampleKinds), side: fc.integer({ min: 1, max: 2048 }) }),
});
const space = fc.record({
  space: fc.record({
    name: text,
    dims: fc.tuple(...([0, 1, 2] as const).map(() => fc.integer({ min: 1, max: 256 }))) as fc.Arbitrary<[number, number, number]>,
    edge: fc.double({ min: 1e-9, max: 1e9, noNaN: true }),
    origin: triple,
  }),
});
const measurement = fc.constantFrom(...measurementKinds).chain((kind) =>
  fc.record({
    id: text,
    kind: fc.constant(kind),
    name: fc.string({ maxLength: 40 }),
    axis,
    oblique: measuresOblique(kind) ? maybe(fc.record({ turn: number, tilt: number })) : fc.constant(undefined),
    timePoint: count,
    points: fc.array(triple, { minLength: pointCounts[kind], maxLength: pointCounts[kind] }),
  }),
);
const part = fc.double({ min: 0, max: 1, noNaN: true }).map((value) => value + 0);
const labels = fc.record({
  table: fc.constantFrom(undefined, 'table-1'),
  edits: fc.constantFrom([], [{ number: 2, color: '#0000ff' }]),
  shows: fc.constantFrom('all', 'none'),
  except: fc.array(fc.integer({ min: -(2 ** 31), max: 2 ** 32 - 1 }), { maxLength: 4 }),
});
const look = fc.record({
  id: text,
  name: text,
  isVisible: fc.boolean(),
  opacity: part,
  blending: fc.constantFrom(...blendings),
  colormap: fc.constantFrom(...colormapNames, '#40ff00'),
  inverted: fc.boolean(),
  window: fc.tuple(number, number),
  hidesBelow: fc.boolean(),
  smooth: fc.boolean(),
  outline: fc.boolean(),
  labels,
  channel: fc.nat({ max: 9 }),
});
const channel = fc.record({ source: fc.constant(undefined), look: look.map((each) => ({ ...each, of: 'base' })) });
const savedLook = fc.record({ id: text, name: text, isVisible: fc.boolean(), opacity: part, color: fc.constant('#a1b2c3') });
const lookWithId = (prefix: string) => savedLook.map((each) => ({ ...each, id: `${prefix}:${each.id}` }));
const savedMesh = fc.record({
  source: fc.record({
    from: fc.constant('base'),
    surface: fc.oneof(fc.record({ level: number }), fc.record({ label: fc.integer({ min: -9, max: 2 ** 32 - 1 }) })),
    timePoint: fc.nat(9),
    smoothing: fc.nat(200),
  }),
  look: lookWithId('mesh'),
});
const layers = fc
  .record({
    base: fc.record({ isVisible: fc.boolean(), opacity: part, labels }),
    list: fc.uniqueArray(fc.oneof(fc.record({ source: fc.oneof(files, folder, sample), look }), channel), {
      maxLength: 4,
      selector: (layer) => layer.look.id,
    }),
  })
  .chain(({ base, list }) =>
    fc.record({
      base: fc.constant(base),
      solo: fc.constantFrom(undefined, 'base', ...list.map((layer) => layer.look.id)),
      list: fc.constant(list),
      meshes: fc.uniqueArray(savedMesh, { maxLength: 3, selector: (mesh) => mesh.look.id }),
      meshFiles: fc.uniqueArray(fc.record({ source: files, object: fc.nat(9), look: lookWithId('file') }), {
        maxLength: 2,
        selector: (mesh) => mesh.look.id,
      }),
      tables: fc.constant({
        'table-1': { name: 'a.csv', table: [{ number: 3, name: 'Liver', color: '#ff0000' }, { number: -1 }] },
      }),
    }),
  );
const curve = fc.record({
  slot: fc.integer({ min: 1, max: 7 }),
  voxel: triple,
  region: fc.constantFrom(undefined, '', 'Sphere 1'),
  series: fc.array(
    fc.record({ volume: text, name: text, unit: maybe(text), values: fc.array(fc.option(number), { maxLength: 20 }) }),
    { maxLength: 3 },
  ),
});
const session = fc.record({
  source: fc.oneof(files, folder, sample, space),
  view: fc.record({
    window: fc.tuple(number, number),
    colormap: text,
    smooth: fc.boolean(),
  }) as unknown as fc.Arbitrary<JsonObject>,
  viewpoints: fc.record({
    '3d': maybe(
      fc.record({ position: triple, target: triple, zoom: number, aspect: fc.double({ min: 0.1, max: 9, noNaN: true }) }),
    ),
    x: slicePose,
    y: slicePose,
    z: slicePose,
  }),
  layout: fc.constantFrom('3d', 'slice', 'slices', 'quad', 'oblique'),
  sliceAxis: axis,
  showChunks: fc.boolean(),
  clipHandles: fc.boolean(),
  compression: fc.record({
    codec: fc.constantFrom('auto', ...chainNames()),
    axis: fc.oneof(axis, fc.constant('auto')),
    prefer: fc.constantFrom(...preferences),
    effort: fc.constantFrom('normal', 'max'),
  }),
  layers,
  measurements: fc.array(measurement as fc.Arbitrary<Measurement>, { maxLength: 4 }),
  pinnedCurves: fc.uniqueArray(curve, { maxLength: 7, selector: ({ slot }) => slot }),
  playback: fc.record({
    rate: fc.integer({ min: 1, max: 120 }),
    pace: fc.constantFrom('hold', 'every'),
    atEnd: fc.constantFrom('loop', 'bounce', 'once'),
    axis: maybe(fc.constantFrom('x', 'y', 'z', 't')),
  }),
}) as fc.Arbitrary<SavedSession>;

const firstLayers = { base: { isVisible: true, opacity: 1, labels: firstLabelLook } };
const least = { format: 'stria-session', version: 1, files: [{ path: 'a.nii', size: 1 }] };
const layerOf = (look: JsonObject) => ({ source: { files: least.files }, look: { id: 'a', name: 'a', window: [0, 1], ...look } });
const versionIn = (saved: SavedSession) => JSON.parse(new TextDecoder().decode(writeSession(saved))).version as number;
const read = (object: JsonObject) => readSession(jsonLines(object));

describe('a session file', () => {
  it('comes back as it was written', () => {
    fc.assert(
      fc.property(session, (saved) => {
        expect(readSession(writeSession(saved))).toEqual(saved);
      }),
    );
  });

  it('may omit everything except its files', () => {
    expect(read(least)).toMatchObject({
      layout: 'quad',
      measurements: [],
      pinnedCurves: [],
      compression: { codec: 'auto' },
      view: {},
    });
    expect(read(least).layers).toEqual({ ...firstLayers, solo: undefined, list: [], meshes: [], meshFiles: [], tables: {} });
  });

  it('refuses impossible labels, and drops the reference to a missing table', () => {
    const withLabels = (labels: object, tables = {}) =>
      read({ ...least, layers: { base: { labels }, tables } }).layers.base.labels;
    expect(withLabels({ table: 'lost', shows: 'some', except: [2] })).toEqual({ ...firstLabelLook, except: [2] });
    expect(withLabels({ table: 'a' }, { a: { name: 'a.csv', table: [] } }).table).toBe('a');
    const tables = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`t${at}`, { name: 'a.csv', table: [] }]));
    // The open volume and 32 layers may each have one.
    expect(withLabels({ table: 't32' }, tables(33)).table).toBe('t32');
    expect(() => withLabels({}, tables(34))).toThrow('more than 33');
    expect(withLabels({ table: 'toString' }).table).toBeUndefined();
    expect(() => withLabels({ except: [1.5] })).toThrow('no label has');
    expect(() => withLabels({ except: Array.from({ length: 70_000 }, () => 1) })).toThrow();
    expect(() => withLabels({ edits: [{ number: 2 ** 32 }] })).toThrow('no label has');
    expect(() => withLabels({ edits: [{ number: 1, color: 'url(x)' }] })).toThrow('not #rrggbb');
    expect(() => withLabels({}, { a: { name: 'a.csv', table: [{ name: 'x' }] } })).toThrow();
  });

  it('refuses impossible surfaces', () => {
    const withMesh = (source: object, look: object = {}) => {
      const mesh = {
        source: { from: 'base', surface: { level: 3 }, ...source },
        look: { id: 'a', name: 'a', color: '#a1b2c3', ...look },
      };
      return read({ ...least, layers: { meshes: [mesh] } }).layers.meshes;
    };
    expect(withMesh({})).toMatchObject([{ source: { timePoint: 0, smoothing: 0 }, look: { isVisible: true, opacity: 1 } }]);
    const motion = [1, 0, 0, 5, 0, 1, 0, 0, 0, 0, 1, 0];
    // Written by versions in which a surface did not follow its layer.
    expect(withMesh({ motion })[0]?.source).toEqual(withMesh({})[0]?.source);
    expect(withMesh({ from: 'removed' })).toEqual([]);
    expect(() => withMesh({ surface: {} })).toThrow();
    expect(() => withMesh({ surface: { label: 1.5 } })).toThrow('neither a level nor a label');
    expect(() => withMesh({}, { color: 'url(x)' })).toThrow('not #rrggbb');
    const look = { id: 'a', name: 'a', color: '#a1b2c3' };
    const withFile = (source: object) => read({ ...least, layers: { meshFiles: [{ source, look }] } }).layers.meshFiles;
    expect(withFile({ files: [{ path: 'a.stl', size: 3 }] })).toMatchObject([
      { object: 0, look: { isVisible: true, opacity: 1 } },
    ]);
    expect(() => withFile({ files: [] })).toThrow('files is empty');
    expect(() => withFile({ sample: { kind: 'ct', side: 4 } })).toThrow();
  });

  it('gives a surface a new id if another surface or a layer has it', () => {
    const source = { from: 'base', surface: { level: 3 } };
    const look = (id: string) => ({ id, name: id, color: '#a1b2c3' });
    const { meshes, meshFiles } = read({
      ...least,
      layers: {
        list: [layerOf({ id: 'a' })],
        meshes: ['a', 'b', 'b', 'mesh-1'].map((id) => ({ source, look: look(id) })),
        meshFiles: ['b', 'mesh-2', 'c'].map((id) => ({ source: { files: least.files }, look: look(id) })),
      },
    }).layers;
    const all = [...meshes, ...meshFiles].map((saved) => saved.look);
    expect(all.map(({ name }) => name)).toEqual(['a', 'b', 'b', 'mesh-1', 'b', 'mesh-2', 'c']);
    expect(new Set(['a', ...all.map(({ id }) => id)]).size).toBe(8);
    expect([all[1], all[3], all[6]].map((kept) => kept?.id)).toEqual(['b', 'mesh-1', 'c']);
  });

  it('is not written if it could not be opened again', () => {
    const saved = read(least);
    const nameless = { id: 'a', name: '', isVisible: true, opacity: 1, color: '#a1b2c3' };
    const source = { from: 'base', surface: { level: 3 }, timePoint: 0, smoothing: 0 };
    const layers = { ...saved.layers, meshes: [{ source, look: nameless }] };
    expect(() => writeSession({ ...saved, layers })).toThrow('could not be opened again: layers.meshes[0].look.name');
  });

  it('refuses two layers with one id, and layers without files', () => {
    const layer = { source: { files: least.files }, look: { id: 'a', name: 'a', window: [0, 1] } };
    expect(read({ ...least, layers: { list: [layer] } }).layers.list[0]?.look).toMatchObject({
      colormap: 'gray',
      blending: 'over',
    });
    expect(() => read({ ...least, layers: { list: [layer, layer] } })).toThrow('the same id');
    expect(() => read({ ...least, layers: { list: [{ ...layer, source: { files: [] } }] } })).toThrow('files is empty');
  });

  it('has version 2 if a layer was moved, and refuses an impossible motion', () => {
    const saved = read({ ...least, layers: { list: [layerOf({ motion: [1, 0, 0, 5, 0, 1, 0, 6, 0, 0, 1, 7] })] } });
    const [moved] = saved.layers.list;
    expect(moved?.look.motion).toEqual([1, 0, 0, 5, 0, 1, 0, 6, 0, 0, 1, 7]);
    expect(versionIn(saved)).toBe(2);
    expect(readSession(writeSession(saved))).toEqual(saved);
    expect(versionIn(read({ ...least, layers: { list: [layerOf({})] } }))).toBe(1);
    for (const motion of [[1, 2, 3], 'left', Array.from({ length: 12 }, () => 0), [1, 0, 0, 5, 0, 1, 0, 6, 0, 0, 1, null]])
      expect(() => read({ ...least, layers: { list: [layerOf({ motion })] } })).toThrow('layers.list[0].look.motion');
  });

  it('drops looks of a later version', () => {
    const later = { ...least, layout: 'six', compression: { codec: 'magic' }, sound: 'loud', playback: { axis: 'w' } };
    expect(read(later)).toEqual(read(least));
  });

  it('is refused with a message if damaged, hostile or of a later version', () => {
    const file = { path: 'a.nii', size: 1 };
    const point = { id: 'a', kind: 'distance', name: '', axis: 'x', timePoint: 0 };
    const values = Array.from({ length: 9000 }, () => 1);
    const longCurve = (slot: number) => ({ slot, voxel: [0, 0, 0], series: [{ volume: 'base', name: 'a.nii', values }] });
    const cases: readonly (readonly [change: JsonObject, tag: string, words: string])[] = [
      [{ format: 'nifti' }, 'corrupt', 'is not'],
      [{ version: 3 }, 'unsupported', 'a newer Stria'],
      [{ version: '1' }, 'corrupt', 'version'],
      [{ files: [] }, 'corrupt', 'is empty'],
      [{ files: 'a.nii' }, 'corrupt', 'not a list'],
      [{ files: [{ ...file, size: -1 }] }, 'corrupt', 'files[0].size'],
      [{ files: [{ ...file, size: 2 ** 60 }] }, 'corrupt', 'files[0].size'],
      [{ files: [{ ...file, fingerprint: 'zz' }] }, 'corrupt', 'fingerprint'],
      ...['/etc/passwd', 'C:/a.nii', '..\\a.nii', 'a/../', '..', 'a//b', './a', ''].map(
        (bad) => [{ files: [{ ...file, path: bad }] }, 'corrupt', 'path'] as const,
      ),
      [{ sample: { kind: 'potential', side: 1e6 } }, 'corrupt', 'sample.side'],
      [{ space: { name: 'a', dims: [1, 2, 1e6], edge: 1, origin: [0, 0, 0] } }, 'corrupt', 'space is not a valid grid'],
      [{ space: { name: 'a', dims: [1, 2, 3], edge: 0, origin: [0, 0, 0] } }, 'corrupt', 'space is not a valid grid'],
      [{ raw: { dims: [1, 2, 3], type: 'u8' } }, 'corrupt', 'raw.dims'],
      [
        { viewpoints: { '3d': { position: [0, 0, 'Infinity'], target: [0, 0, 0], zoom: 1 } } },
        'corrupt',
        'viewpoints.3d.position',
      ],
      [{ viewpoints: { x: { zoom: null } } }, 'corrupt', 'viewpoints.x.zoom'],
      [{ measurements: [{ ...point, points: [[0, 0, 0]] }] }, 'corrupt', 'points'],
      [{ pinnedCurves: [{ slot: 8, voxel: [0, 0, 0], series: [] }] }, 'corrupt', 'pinnedCurves[0].slot'],
      [{ pinnedCurves: [1, 1].map((slot) => ({ slot, voxel: [0, 0, 0], series: [] })) }, 'corrupt', 'the same slot'],
      [{ pinnedCurves: [{ slot: 1, voxel: [0, 0], series: [] }] }, 'corrupt', 'pinnedCurves[0].voxel'],
      [{ pinnedCurves: [1, 2, 3].map(longCurve) }, 'corrupt', 'more than 20000 values'],
      [{ measurements: Array.from({ length: 5001 }, () => point) }, 'corrupt', 'measurements'],
    ];
    for (const [change, tag, words] of cases) {
      const refused = () => read({ ...least, ...change });
      expect(refused, JSON.stringify(change).slice(0, 80)).toThrowError(expect.objectContaining({ tag }));
      expect(refused).toThrowError(words);
    }
    expect(() => readSession(new Uint8Array(2 ** 20 + 1))).toThrowError(/the limit/);
  });

  it('is refused wherever it is truncated, and arbitrary bytes give only faults', () => {
    const whole = jsonLines(least);
    for (let end = 0; end < whole.length - 2; end++) {
      expect(() => readSession(whole.subarray(0, end)), String(end)).toThrowError(expect.objectContaining({ tag: 'corrupt' }));
    }
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('files', 'view', 'viewpoints', 'measurements', 'playback', 'raw'), fc.jsonValue()),
        (odd) => {
          try {
            read({ ...least, ...odd });
          } catch (error) {
            expect(error).toMatchObject({ name: 'StriaError' });
          }
        },
      ),
    );
  });

  it('is named after its volume', () => {
    expect(sessionName('scan.nii.gz')).toBe('scan.stria-session');
    expect(sessionName('Head phantom 128')).toBe('Head phantom 128.stria-session');
    expect(sessionName('.hidden')).toBe('.hidden.stria-session');
  });
});
