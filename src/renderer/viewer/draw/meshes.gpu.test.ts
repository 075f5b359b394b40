import { OrthographicCamera, PerspectiveCamera, Vector3, Vector4 } from 'three';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { GpuMesh, meshBytes } from '../../../core/draw/gpu-mesh.ts';
import { wholeOf } from '../../../core/draw/ray-pass.ts';
import type { StageTime } from '../../../core/gpu/commands.ts';
import type { Mesh } from '../../../core/mesh/mesh.ts';
import { ballMesh } from '../../../core/mesh/mesh-testing.ts';
import type { DisplayTexture } from '../../../core/volume/display-texture.ts';
import { ResidentVolume } from '../../../core/volume/resident/resident-volume.ts';
import { openTestGpu } from '../../../testing/node-gpu-testing.ts';
import { default3d, defaultColors } from '../model/auto-view.ts';
import { base } from '../model/layer-testing.ts';
import { type LayerStack, noLayers } from '../model/layers.ts';
import { placeOblique } from '../model/oblique-geometry.ts';
import { sliceFrame, worldOf } from '../model/orientation.ts';
import { type CanvasToVoxel, placeSlice, positionAt, type Voxel } from '../model/slice-geometry.ts';
import type { ShownMesh } from '../model/view-host.ts';
import type { ViewState } from '../model/viewer-api.ts';
import { worldToVoxels } from '../model/voxel-map.ts';
import { LayerDisplays } from './layer-displays.ts';
import { RayDrawing } from './ray-drawing.ts';
import { rayPicture } from './ray-picture.ts';
import { rayViewOf } from './ray-view.ts';
import { sceneCube } from './scene-cube.ts';
import { outlineOf } from './slice-drawing.ts';
import { SliceRenderer } from './slice-renderer.ts';
import { drawnPixels } from './slice-testing.ts';

const gpu = await openTestGpu();
const [width, height] = [64, 48];
const step = 0.5;

const state: ViewState = {
  ...default3d,
  ...defaultColors,
  projection: 'isosurface',
  window: [0, 255],
  level: 100,
  colormap: 'gray',
  opacity: [
    [0, 0],
    [1, 1],
  ],
  crosshair: [9, 8, 6],
  timePoint: 0,
  smooth: false,
  slab: { kind: 'none', thickness: 5 },
  sliceSlabs: undefined,
  oblique: { turn: 25, tilt: -35 },
  layers: noLayers,
};

// Both cameras look along the volume's third axis, slightly from the side.
const [edgeX, edgeY, edgeZ] = sceneCube(base).edges;
const placeAt = (x: number, y: number, z: number) =>
  new Vector3().addScaledVector(edgeX, x).addScaledVector(edgeY, y).addScaledVector(edgeZ, z);
const near = new PerspectiveCamera(40, width / height, 0.1, 10);
near.position.copy(placeAt(0.3, 0.4, -1.9));
const far = new OrthographicCamera((-0.8 * width) / height, (0.8 * width) / height, 0.8, -0.8, 0.1, 10);
far.position.copy(placeAt(-0.4, 0.2, -2));
for (const camera of [near, far]) {
  camera.up.copy(edgeY);
  camera.lookAt(0, 0, 0);
}
for (const camera of [near, far]) camera.updateMatrixWorld();
const cameras = [
  { camera: near, eye: new Vector4(...near.position, 1) },
  { camera: far, eye: new Vector4(...far.position.clone().normalize(), 0) },
] as const;
type Seen = (typeof cameras)[number];

/** A square in the open volume's unit cube: z = at + slope × (x − 0.5). */
interface Square {
  readonly at: number;
  readonly slope: number;
  readonly half: number;
}

function squareMesh({ at, slope, half }: Square): Mesh {
  const corners = [
    [-half, -half],
    [half, -half],
    [half, half],
    [-half, half],
  ] as const;
  const positions = corners.flatMap(([x, y]) => {
    const place = [0.5 + x, 0.5 + y, at + slope * x].map((part, axis) => part * base.dims[axis as 0] - 0.5);
    return [...worldOf(base, place as unknown as Voxel)];
  });
  return { positions: new Float32Array(positions), triangles: new Uint32Array([0, 1, 2, 0, 2, 3]) };
}

let volume: ResidentVolume;
let displays: LayerDisplays;
let display: DisplayTexture;
beforeAll(async () => {
  volume = await ResidentVolume.create(gpu, base, { chunkShape: [8, 8, 8], budgetBytes: 2 ** 24 });
  volume.append(new Uint8Array(base.dims[0] * base.dims[1] * base.dims[2]).fill(200));
  displays = new LayerDisplays(() => {});
  displays.show([{ id: 'base', volume, timePoint: 0 }]);
  await displays.settled();
  display = displays.displayOf('base') as DisplayTexture;
});
afterAll(() => {
  displays.keep(new Map());
  volume.destroy();
});

const shownAs = (mesh: GpuMesh, color: string, opacity: number, id = color): ShownMesh => ({
  look: { id, name: id, isVisible: true, opacity, color },
  mesh,
  map: worldToVoxels(base),
});

/** Draws on black, in strips of 13 rows. */
async function drawn(seen: Seen, baseOpacity: number, meshes: readonly ShownMesh[], change: Partial<ViewState> = {}) {
  const layers: LayerStack = {
    ...noLayers,
    base: { ...noLayers.base, opacity: baseOpacity },
    meshes: meshes.map(({ look }) => look),
  };
  const scene = { info: base, display, meshes, state: { ...state, ...change, layers }, step, ground: { r: 0, g: 0, b: 0, a: 1 } };
  return (await rayPicture(gpu, { ...scene, ...seen }, { width, height, background: 'screen' }, 13)).rgba;
}

/** The distances along a pixel's ray at which it meets the cube and the squares; infinite if it does not. */
function meetings({ camera, eye }: Seen, pixel: number, squares: readonly Square[]) {
  const { lengths, cube } = sceneCube(base);
  const view = rayViewOf(camera, eye, cube.clone().invert(), lengths);
  const [x, y] = [(2 * ((pixel % width) + 0.5)) / width - 1, 1 - (2 * (Math.floor(pixel / width) + 0.5)) / height];
  const beyond = [0, 1, 2].map((at) => {
    const part = (column: number) => view.toCube[4 * column + at] as number;
    return part(0) * x + part(1) * y + part(2) + part(3);
  });
  const isNear = view.eye[3] > 0.5;
  const origin = isNear ? view.eye.slice(0, 3) : beyond;
  const way = beyond.map((part, at) => (isNear ? part - (view.eye[at] as number) : -(view.eye[at] as number)));
  const length = Math.hypot(...way);
  const toward = way.map((part) => part / length);
  const [ox, , oz] = origin as [number, number, number];
  const [tx, , tz] = toward as [number, number, number];
  const ends = [0, 1, 2].map((axis) => {
    const [from, by] = [origin[axis] as number, toward[axis] as number];
    return [-from / by, (1 - from) / by].sort((a, b) => a - b) as [number, number];
  });
  const [enter, leave] = [Math.max(...ends.map(([start]) => start)), Math.min(...ends.map(([, end]) => end))];
  const hits = squares.map(({ at, slope, half }) => {
    const distance = (at + slope * (ox - 0.5) - oz) / (tz - slope * tx);
    const place = origin.map((part, axis) => part + distance * (toward[axis] as number));
    const edge = half - Math.max(Math.abs((place[0] as number) - 0.5), Math.abs((place[1] as number) - 0.5));
    return { distance: edge > 0 ? distance : Number.POSITIVE_INFINITY, isSure: Math.abs(edge) > 0.02 };
  });
  const isCubeSure = Math.abs(leave - enter) > 0.02;
  return {
    cube: leave > enter ? enter : Number.POSITIVE_INFINITY,
    hits,
    isSure: isCubeSure && hits.every(({ isSure }) => isSure),
  };
}

test('the time of a frame is that of its rays, not of its meshes', async () => {
  const record = gpu.commands.bind(gpu);
  let stages: readonly StageTime[] = [];
  const spy = vi.spyOn(gpu, 'commands').mockImplementation((label, onTimes) => {
    const keep: typeof onTimes = (times) => {
      stages = times.stages;
    };
    return record(label, onTimes && keep);
  });
  const mesh = new GpuMesh(gpu, squareMesh({ at: 0, slope: 0.5, half: 0.5 }));
  const rays = new RayDrawing(gpu, base, display);
  const { lengths, cube } = sceneCube(base);
  const view = rayViewOf(near, cameras[0].eye, cube.clone().invert(), lengths);
  const meshes = [shownAs(mesh, '#e04020', 1)];
  const ms = await rays.march(state, [], { view, step, plane: undefined, strip: wholeOf({ width: 400, height: 300 }), meshes });
  expect(stages.map(({ label }) => label)).toEqual(['meshes', 'view.ray-stack']);
  expect(ms).toBe(stages[1]?.gpuMs);
  expect(ms).toBeGreaterThan(0);
  spy.mockRestore();
  rays.destroy();
  mesh.destroy();
});

describe.each([
  ['near', cameras[0]],
  ['infinitely far', cameras[1]],
])('with an eye that is %s', (_, seen) => {
  test.each([
    ['opaque meshes and volume', [1, 1], 1],
    ['translucent ones', [0.4, 0.6], 0.5],
    ['an opaque mesh behind a translucent one', [0.3, 1], 0.5],
  ] as const)('%s hide each other by depth', async (_name, opacities, baseOpacity) => {
    // One square intersects the front of the volume, and the squares intersect each other.
    const squares: readonly Square[] = [
      { at: -0.05, slope: 0.9, half: 0.55 },
      { at: 0, slope: -0.6, half: 0.45 },
    ];
    const meshes = squares.map((square) => new GpuMesh(gpu, squareMesh(square)));
    const shown = meshes.map((mesh, at) => shownAs(mesh, ['#e04020', '#2060f0'][at] as string, opacities[at] as number));
    const both = await drawn(seen, baseOpacity, shown);
    const alone = [await drawn(seen, baseOpacity, [])];
    for (const { look, mesh } of shown) alone.push(await drawn(seen, 0, [shownAs(mesh, look.color, 1)]));
    let [compared, differing, orders] = [0, 0, new Set<string>()];
    for (let pixel = 0; pixel < width * height; pixel++) {
      const { cube, hits, isSure } = meetings(seen, pixel, squares);
      const things = [cube, ...hits.map(({ distance }) => distance)];
      const isClose = things.some((a, at) => things.some((b, other) => other > at && Math.abs(a - b) < 0.08));
      if (!isSure || isClose) continue;
      const order = things.flatMap((distance, thing) => (Number.isFinite(distance) ? [{ distance, thing }] : []));
      order.sort((a, b) => a.distance - b.distance);
      orders.add(order.map(({ thing }) => thing).join());
      compared++;
      const expected = [0, 1, 2].map((channel) => {
        let [color, left] = [0, 1];
        for (const { thing } of order) {
          // The picture of the volume alone is already on black.
          const opacity = thing === 0 ? baseOpacity : (opacities[thing - 1] as number);
          const own = (alone[thing] as Uint8Array)[4 * pixel + channel] as number;
          color += left * (thing === 0 ? own : opacity * own);
          left *= 1 - opacity;
        }
        return color;
      });
      if (expected.some((value, channel) => Math.abs(value - (both[4 * pixel + channel] as number)) > 2.5)) differing++;
    }
    expect(compared).toBeGreaterThan(1200);
    expect(orders.size).toBeGreaterThanOrEqual(6);
    expect(differing).toBe(0);
    for (const mesh of meshes) mesh.destroy();
  });

  test('clip planes cut a mesh; a projection without depth shows it over the volume', async () => {
    const square: Square = { at: 0.5, slope: 0, half: 0.4 };
    const mesh = new GpuMesh(gpu, squareMesh(square));
    const shown = shownAs(mesh, '#ff0000', 1);
    const whole = await drawn(seen, 0, [shown]);
    const cut = await drawn(seen, 0, [shown], {
      clip: [
        [0, 0.5],
        [0, 1],
        [0, 1],
      ],
    });
    const inside = await drawn(seen, 1, [shown], { projection: 'mip' });
    const redOf = (pixels: Uint8Array, pixel: number) => (pixels[4 * pixel] as number) - (pixels[4 * pixel + 1] as number) > 60;
    let [kept, gone] = [0, 0];
    for (let pixel = 0; pixel < width * height; pixel++) {
      const { hits, isSure } = meetings(seen, pixel, [square, { ...square, half: 0.01 }]);
      const isHit = Number.isFinite(hits[0]?.distance);
      if (!isSure) continue;
      expect(redOf(whole, pixel)).toBe(isHit);
      if (isHit) expect(redOf(inside, pixel)).toBe(true);
      if (!isHit) continue;
      if (redOf(cut, pixel)) kept++;
      else gone++;
    }
    expect(kept / (kept + gone)).toBeCloseTo(0.5, 1);
    mesh.destroy();
  });
});

test('a mesh allocates the expected number of bytes, and frees them', () => {
  const mesh = ballMesh([0, 0, 0], 3);
  const before = gpu.memory.liveBytes();
  const onGpu = new GpuMesh(gpu, mesh);
  expect(gpu.memory.liveBytes() - before).toBe(meshBytes(mesh));
  onGpu.destroy();
  expect(gpu.memory.liveBytes()).toBe(before);
});

describe('the outline in a slice', () => {
  let renderer: SliceRenderer;
  beforeEach(() => {
    renderer = new SliceRenderer(gpu, 'rgba8unorm');
  });
  afterEach(() => renderer.destroy());
  const centre = worldOf(base, [9, 8, 5.5]);
  const radius = 6.3;

  function planes(): readonly { axis: 0 | 1 | 2 | undefined; index: number; map: CanvasToVoxel }[] {
    const straight = (['x', 'y', 'z'] as const).map((axis) => {
      const frame = sliceFrame(base, axis);
      const index = [11, 6, 7][frame.across] as number;
      const [x, y, z] = base.dims;
      const camera = { zoom: 1.1, center: undefined };
      return {
        axis: frame.across,
        index,
        map: placeSlice({ frame, dims: [x, y, z], spacing: [1.1, 1.3, 2], width, height, index, camera, margin: 3 }),
      };
    });
    const camera = { zoom: 1, center: undefined };
    const tilted = { info: base, tilt: state.oblique, crosshair: state.crosshair, camera, width, height, margin: 3 };
    return [...straight, { axis: undefined, index: 0, map: placeOblique(tilted).map }];
  }

  test.each(planes())('is where the slice cuts a ball: across $axis', async ({ axis, index, map }) => {
    const mesh = new GpuMesh(gpu, ballMesh(centre, radius, 40));
    const meshes = [outlineOf(shownAs(mesh, '#ff0000', 1))];
    const drawing = { volume, axis, index, map, state: { ...state, window: [0, 1000] as const }, opacity: 0, meshes };
    const pixels = await drawnPixels(gpu, renderer, drawing, [width, height]);
    const worldAt = (x: number, y: number): Voxel => {
      const position = [...positionAt(map, [x, y])] as [number, number, number];
      if (axis !== undefined) position[axis] = index + 0.5;
      return worldOf(base, position.map((part) => part - 0.5) as unknown as Voxel);
    };
    const distance = (x: number, y: number) =>
      Math.hypot(...worldAt(x, y).map((part, at) => part - (centre[at] as number))) - radius;
    let onLine = 0;
    for (let pixel = 0; pixel < width * height; pixel++) {
      const [x, y] = [(pixel % width) + 0.5, Math.floor(pixel / width) + 0.5];
      const here = distance(x, y);
      const slope = Math.hypot(distance(x + 0.5, y) - distance(x - 0.5, y), distance(x, y + 0.5) - distance(x, y - 0.5));
      const isRed = (pixels[4 * pixel] as number) > 200;
      const away = Math.abs(here) / slope;
      if (away < 0.55) onLine++;
      if (away < 0.55) expect(isRed, `${x} ${y}`).toBe(true);
      if (away > 1.1) expect(isRed, `${x} ${y}`).toBe(false);
    }
    expect(onLine).toBeGreaterThan(40);
    mesh.destroy();
  });
});
