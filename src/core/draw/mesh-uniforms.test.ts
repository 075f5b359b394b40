import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Commands } from '../gpu/commands.ts';
import type { Gpu } from '../gpu/gpu.ts';
import type { GpuScope } from '../gpu/scope.ts';
import { identityTransform } from '../transforms/transform.ts';
import type { GpuMesh } from './gpu-mesh.ts';
import { MeshPass } from './mesh-pass.ts';
import { OutlinePass } from './outline-pass.ts';

class FakeBuffer {}

beforeAll(() => {
  vi.stubGlobal('GPUBuffer', FakeBuffer);
  vi.stubGlobal('GPUBufferUsage', { UNIFORM: 1 });
  vi.stubGlobal('GPUTextureUsage', { RENDER_ATTACHMENT: 1, TEXTURE_BINDING: 2 });
});
afterAll(() => {
  vi.unstubAllGlobals();
});

const most = 256;
const toCube = identityTransform;
const mesh = { triangleCount: 1, positions: new FakeBuffer(), triangles: new FakeBuffer() } as unknown as GpuMesh;

/** A device that draws nothing, and the contents that were written into each of its buffers before a submit. */
function setUp() {
  const writes = new Map<GPUBuffer, number>();
  const scope = {
    buffer: () => new FakeBuffer(),
    texture: () => ({ createView: () => ({}) }),
    scope: () => scope,
    destroy: () => {},
  };
  const gpu = {
    scope: () => scope,
    shaderModule: () => ({}),
    device: {
      queue: { writeBuffer: (buffer: GPUBuffer) => writes.set(buffer, (writes.get(buffer) ?? 0) + 1) },
      createRenderPipeline: () => ({ label: '', getBindGroupLayout: () => ({}) }),
      createBindGroup: () => ({}),
    },
  } as unknown as Gpu;
  const pass = new Proxy({}, { get: () => () => {} }) as GPURenderPassEncoder;
  const commands = { render: (_label: string, _to: unknown, draw: (into: typeof pass) => void) => draw(pass) };
  const counts = () => ({ buffers: writes.size, writes: [...writes.values()].reduce((sum, count) => sum + count, 0) });
  return { gpu, scope: scope as unknown as GpuScope, pass, commands: commands as unknown as Commands, counts };
}

test('the maximum number of translucent meshes keep their uniforms until they are drawn', () => {
  const { gpu, commands, counts } = setUp();
  const surfaces = Array.from({ length: most }, (_, at) => ({ mesh, toCube, color: [at / most, 0, 0] as const, opacity: 0.5 }));
  const view = { toCube: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1], eye: [0, 0, -1, 0], edges: [1, 1, 1] } as const;
  const open = [0, 1] as const;
  const strip = { width: 8, height: 8, from: 0, count: 8 };
  new MeshPass(gpu, most).record(commands, surfaces, view, { clip: [open, open, open], plane: undefined }, strip);
  expect(counts()).toEqual({ buffers: 4 * most, writes: 4 * most });
});

test('the outlines of the maximum number of meshes keep their uniforms in four views', () => {
  const { gpu, scope, pass, counts } = setUp();
  const outlines = new OutlinePass(gpu, 'rgba8unorm', scope, most);
  for (let view = 0; view < 4; view++) {
    const plane = { origin: [0, 0, view], right: [1, 0, 0], down: [0, 1, 0] } as const;
    for (let at = 0; at < most; at++)
      outlines.draw(pass, { mesh, map: toCube, color: [at / most, 0, 0] }, plane, { width: 8, height: 8 }, 1);
  }
  expect(counts()).toEqual({ buffers: 4 * most, writes: 4 * most });
});
