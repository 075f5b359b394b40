import { beforeEach, expect, test, vi } from 'vitest';
import type { RayDrawing } from '../draw/ray-drawing.ts';
import type { PictureRequest, ViewPicture } from '../model/picture.ts';
import { type PictureDrawing, type PicturedView, spacePicture } from './space-picture.ts';

/** The ray drawings that were made for pictures, and those that were freed. */
const made = { rays: [] as unknown[], freed: [] as unknown[] };

const drawing: PictureDrawing = {
  newRays: () => {
    const rays = { destroy: () => made.freed.push(rays) };
    made.rays.push(rays);
    return rays as unknown as RayDrawing;
  },
  volumePicture: async (_renderer, _scene, { width, height }, { draw }) => {
    for (const from of [0, 1]) draw({ width, height, from, count: 1 }, () => {});
    return { width, height } as ViewPicture;
  },
};

const request = { width: 4, height: 2, pixelRatio: 1, isAnnotated: true, background: 'white' } as PictureRequest;

/** @param checkShown called before each strip */
function setUp(checkShown: () => void = () => {}) {
  const scene = {
    shown: { info: {}, display: {} },
    load: vi.fn(async (_rays: unknown) => {}),
    update: vi.fn(async () => undefined),
  };
  const view = {
    gpu: { checkAlive: () => {} },
    host: { state: {}, layersIn3d: () => [], meshesIn: () => [], hasOblique: false },
    canvas: { setGround: () => {} },
    orbit: { posed: () => ({ camera: {}, eye: {}, halfHeight: 1 }) },
    pacing: { expectedMs: () => 1 },
    scene,
    step: 1,
    checkShown,
  } as unknown as PicturedView;
  return { view, scene };
}

beforeEach(() => {
  made.rays = [];
  made.freed = [];
});

test('an annotated picture is loaded and drawn with a ray drawing of its own, which the canvas does not use', async () => {
  const { view, scene } = setUp();
  await spacePicture(view, request, drawing);
  expect(made.rays).toHaveLength(1);
  expect(scene.load.mock.calls.map(([rays]) => rays)).toEqual(made.rays);
  const used = scene.update.mock.calls.map((call: unknown[]) => call.at(-1));
  expect(used).toEqual([made.rays[0], made.rays[0]]);
  expect(made.freed).toEqual(made.rays);
});

test('the ray drawing of a picture is freed if the view is closed before the picture is drawn', async () => {
  const { view } = setUp(() => {
    throw new Error('closed');
  });
  await expect(spacePicture(view, request, drawing)).rejects.toThrow('closed');
  expect(made.rays).toHaveLength(1);
  expect(made.freed).toEqual(made.rays);
});
