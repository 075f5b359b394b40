import { Vector3 } from 'three';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { OrbitCamera } from './orbit-camera.ts';

/** The parts of a canvas that the controls need before there is a pointer. */
function canvas(): HTMLCanvasElement {
  const target = new EventTarget();
  return Object.assign(target, { style: {}, getRootNode: () => target, ownerDocument: target }) as unknown as HTMLCanvasElement;
}

const corners = [-0.5, 0.5].flatMap((x) => [-0.5, 0.5].flatMap((y) => [-0.5, 0.5].map((z) => new Vector3(x, y, z))));

/** The height of an object at a depth behind the target, in a picture whose height is 2. */
function heightOf(orbit: OrbitCamera, depth: number, height = 0.1): number {
  const { camera } = orbit;
  camera.updateMatrixWorld();
  const middle = camera.getWorldDirection(new Vector3()).multiplyScalar(depth);
  const up = new Vector3(0, height, 0).applyQuaternion(camera.quaternion);
  return middle.clone().add(up).project(camera).y - middle.project(camera).y;
}

test('perspective enlarges near objects, orthographic does not, and the target keeps its size', () => {
  const orbit = new OrbitCamera(canvas(), () => {});
  orbit.resize(1.5);
  orbit.reset(corners);
  const atTarget = heightOf(orbit, 0);
  expect(heightOf(orbit, -0.4)).toBeGreaterThan(1.25 * heightOf(orbit, 0.4));
  expect(orbit.eye.w).toBe(1);
  orbit.use('orthographic');
  expect(heightOf(orbit, -0.4)).toBeCloseTo(atTarget, 6);
  expect(heightOf(orbit, 0.4)).toBeCloseTo(atTarget, 6);
  expect(orbit.eye.w).toBe(0);
  orbit.use('perspective');
  expect(heightOf(orbit, 0)).toBeCloseTo(atTarget, 6);
});

test('all corners are visible after a reset, with either camera and any aspect ratio', () => {
  for (const kind of ['perspective', 'orthographic'] as const) {
    for (const aspect of [0.5, 1, 2.4]) {
      const orbit = new OrbitCamera(canvas(), () => {});
      orbit.resize(aspect);
      orbit.use(kind);
      orbit.reset(corners);
      orbit.camera.updateMatrixWorld();
      const places = corners.map((corner) => corner.clone().project(orbit.camera));
      const farthest = Math.max(...places.flatMap(({ x, y }) => [Math.abs(x), Math.abs(y)]));
      expect(farthest).toBeLessThan(1);
      expect(farthest).toBeGreaterThan(0.6);
    }
  }
});

test.each(['perspective', 'orthographic'] as const)('%s: a canvas that becomes narrower still shows the whole width', (kind) => {
  const orbit = new OrbitCamera(canvas(), () => {});
  orbit.resize(2);
  orbit.use(kind);
  orbit.reset(corners.map(({ x, y, z }) => new Vector3(x, y / 4, z)));
  const { pose } = orbit;
  const widthOf = (aspect: number) => {
    orbit.resize(aspect);
    const [[left], [right]] = [orbit.frame(800, 800 / aspect).project([-0.5, 0, 0]), orbit.frame(800, 1).project([0.5, 0, 0])];
    return right - left;
  };
  const width = widthOf(2);
  expect(widthOf(0.8)).toBeCloseTo(width, 6);
  // The scale bar follows, and so does a picture with that aspect ratio.
  const frame = orbit.frame(800, 1000);
  expect(frame.project([frame.up[0] / 100, frame.up[1] / 100, frame.up[2] / 100])[1]).toBeCloseTo(
    500 - frame.pixelsPerLength / 100,
    6,
  );
  expect(1000 / 2 / orbit.posed(0.8).halfHeight).toBeCloseTo(frame.pixelsPerLength, 6);
  expect(widthOf(4)).toBeCloseTo(width / 2, 6);
  expect(orbit.pose).toEqual(pose);
  // The same pose on another canvas, as when it comes from a session or from a linked viewer.
  const other = new OrbitCamera(canvas(), () => {});
  other.resize(0.8);
  other.use(kind);
  other.pose = pose;
  orbit.resize(0.8);
  const place = orbit.frame(800, 1000).project([0.5, 0.1, 0]);
  expect(other.frame(800, 1000).project([0.5, 0.1, 0])).toEqual(place.map((pixel) => expect.closeTo(pixel, 6)));
});

test.each(['perspective', 'orthographic'] as const)('%s: a frame projects like the drawn picture', (kind) => {
  const orbit = new OrbitCamera(canvas(), () => {});
  orbit.resize(2);
  orbit.use(kind);
  orbit.reset(corners);
  const frame = orbit.frame(800, 400);
  expect(frame.project([0, 0, 0])).toEqual([400, 200].map((pixel) => expect.closeTo(pixel, 6)));
  const along = ([x, y, z]: readonly [number, number, number]) => frame.project([x / 100, y / 100, z / 100]);
  expect(along(frame.right)[0]).toBeCloseTo(400 + frame.pixelsPerLength / 100, 6);
  expect(along(frame.right)[1]).toBeCloseTo(200, 6);
  expect(along(frame.up)[1]).toBeCloseTo(200 - frame.pixelsPerLength / 100, 6);
  expect(along(frame.toEye)[0]).toBeCloseTo(400, 6);
  // Points towards the camera are nearer.
  const [x, y, z] = frame.toEye;
  expect(x * 0.42 + y * 0.22 + z).toBeGreaterThan(1);
  // An orthographic camera is infinitely far away, so nothing is behind it.
  expect(frame.isAhead([x / 2, y / 2, z / 2])).toBe(true);
  expect(frame.isAhead([50 * x, 50 * y, 50 * z])).toBe(kind === 'orthographic');
});

describe('viewing from a side', () => {
  afterEach(() => vi.unstubAllGlobals());

  const made = (onChange = () => {}) => {
    const orbit = new OrbitCamera(canvas(), onChange);
    orbit.resize(1);
    orbit.reset(corners);
    return orbit;
  };
  const expectNear = (found: readonly number[], wanted: readonly number[]) => {
    for (const [axis, part] of wanted.entries()) expect(found[axis]).toBeCloseTo(part, 4);
  };

  test.each([
    ['the front', [0, 0, 1], [1, 0, 0], [0, 1, 0]],
    ['the back', [0, 0, -1], [-1, 0, 0], [0, 1, 0]],
    ['+x', [1, 0, 0], [0, 0, -1], [0, 1, 0]],
    ['above', [0, 1, 0], [1, 0, 0], [0, 0, -1]],
    ['below', [0, -1, 0], [1, 0, 0], [0, 0, 1]],
  ] as const)('%s', (_, direction, right, up) => {
    for (const kind of ['perspective', 'orthographic'] as const) {
      const orbit = made();
      orbit.use(kind);
      const { pixelsPerLength } = orbit.frame(100, 100);
      orbit.lookFrom(direction, 0);
      const frame = orbit.frame(100, 100);
      expectNear(frame.toEye, direction);
      expectNear(frame.right, right);
      expectNear(frame.up, up);
      expect(frame.pixelsPerLength).toBeCloseTo(pixelsPerLength, 6);
    }
  });

  test('takes the short way, in the given time, and is replaced by a new turn', () => {
    const waiting = new Map<number, FrameRequestCallback>();
    let number = 0;
    vi.stubGlobal('requestAnimationFrame', (callback: FrameRequestCallback) => {
      waiting.set(++number, callback);
      return number;
    });
    vi.stubGlobal('cancelAnimationFrame', (request: number) => waiting.delete(request));
    const nextFrame = (ms: number) => {
      const callbacks = [...waiting.values()];
      waiting.clear();
      for (const callback of callbacks) callback(ms);
    };
    let changes = 0;
    const orbit = made(() => changes++);
    orbit.lookFrom([-1, 0, -0.2], 0);
    orbit.lookFrom([-1, 0, 0.2], 120);
    nextFrame(1000);
    changes = 0;
    nextFrame(1060);
    expect(changes).toBeGreaterThan(0);
    // The turn passes through −x, not +x.
    expect(orbit.frame(1, 1).toEye[0]).toBeLessThan(-0.97);
    orbit.lookFrom([0, 0, 1], 120);
    expect(waiting.size).toBe(1);
    nextFrame(2000);
    nextFrame(2121);
    expectNear(orbit.frame(1, 1).toEye, [0, 0, 1]);
    expect(waiting.size).toBe(0);
  });
});
