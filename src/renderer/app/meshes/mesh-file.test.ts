import { expect, test } from 'vitest';
import { asciiStl, textBytes } from '../../../core/mesh/read/mesh-files-testing.ts';
import type { MeshFileAnswer, MeshFileTask } from './mesh-file-protocol.ts';

test('the thread of mesh files sends meshes without spare capacity, or a fault that names the file', async () => {
  const answers: MeshFileAnswer[] = [];
  const before = globalThis.self;
  const scope = {
    onmessage: (_: { data: MeshFileTask }) => {},
    postMessage: (answer: MeshFileAnswer) => void answers.push(answer),
  };
  Object.assign(globalThis, { self: scope });
  await import('./mesh-file.worker.ts').finally(() => Object.assign(globalThis, { self: before }));
  const read = async (text: string) => {
    const handle = { kind: 'blob', name: 'a.stl', blob: new Blob([textBytes(text)]) } as const;
    scope.onmessage({ data: { handle, metres: 1e-3 } });
    const { length } = answers;
    await expect.poll(() => answers.length).toBe(length + 1);
    return answers.at(-1);
  };
  const good = await read(asciiStl);
  const [found] = good?.kind === 'meshes' ? good.meshes : [];
  expect([found?.name, found?.mesh.positions.buffer.byteLength, found?.mesh.triangles.buffer.byteLength]).toEqual(['a', 48, 24]);
  expect(await read('solid x')).toMatchObject({ kind: 'fault', fault: { tag: 'corrupt', context: ['a.stl'] } });
});
