import { expect, test } from 'vitest';
import { Commands, maxStages } from './commands.ts';

test('a submit may have more stages than can be timed', () => {
  const passes: GPUComputePassDescriptor[] = [];
  const beginComputePass = (pass: GPUComputePassDescriptor) => {
    passes.push(pass);
    return { end: () => {} };
  };
  const host = {
    hasTimestamps: true,
    device: { createCommandEncoder: () => ({ beginComputePass }) },
    checkAlive: () => {},
    scope: () => ({}),
    takeQueries: () => ({ set: {}, resolved: {} }),
  } as unknown as ConstructorParameters<typeof Commands>[0];
  const commands = new Commands(host, 'many', () => {});
  for (let stage = 0; stage < maxStages + 2; stage++) commands.stage(`${stage}`);
  const ends = passes.map(({ timestampWrites }) => timestampWrites?.endOfPassWriteIndex);
  expect(ends.slice(-3)).toEqual([2 * maxStages - 1, undefined, undefined]);
});
