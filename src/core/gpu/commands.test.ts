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

test('what is recorded after a part has been submitted is in another submit', async () => {
  const submits: unknown[][] = [];
  const createCommandEncoder = () => {
    const work: string[] = [];
    return { beginComputePass: ({ label }: { label: string }) => ({ end: () => work.push(label) }), finish: () => work };
  };
  const queue = { submit: (buffers: unknown[]) => submits.push(buffers), onSubmittedWorkDone: async () => {} };
  const host = {
    device: { createCommandEncoder, queue },
    checkAlive: () => {},
    scope: () => ({ destroy: () => {} }),
    submitting: () => () => {},
  } as unknown as ConstructorParameters<typeof Commands>[0];
  const commands = new Commands(host, 'work');
  await commands.stage('one').submitPart().stage('two').stage('three').submit();
  expect(submits).toEqual([[['work.one']], [['work.two', 'work.three']]]);
});

test('if clocks are raised before timed work, all parts are submitted after that', async () => {
  const events: unknown[] = [];
  const createCommandEncoder = () => {
    const work: string[] = [];
    return { beginComputePass: ({ label }: { label: string }) => ({ end: () => work.push(label) }), finish: () => work };
  };
  const queue = { submit: (buffers: unknown[]) => events.push(buffers), onSubmittedWorkDone: async () => {} };
  const host = {
    device: { createCommandEncoder, queue },
    beforeTimed: async () => void events.push('heat'),
    checkAlive: () => {},
    scope: () => ({ destroy: () => {} }),
    submitting: () => () => {},
  } as unknown as ConstructorParameters<typeof Commands>[0];
  await new Commands(host, 'work', () => {}).stage('one').submitPart().stage('two').submit();
  expect(events).toEqual(['heat', [['work.one', 'work.two']]]);
});
