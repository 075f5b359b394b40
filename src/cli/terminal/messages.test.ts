import { expect, test } from 'vitest';
import { faultTags, inContext, StriaError } from '../../core/shared/errors.ts';
import { describeFault, exitCodeMeanings, faultWords } from './messages.ts';

test.each(faultTags)('%s: has a message and a documented exit code', (tag) => {
  const text = describeFault(new StriaError(tag, 'the message', { context: ['scan.stria'] }));
  expect(text).toMatch(tag === 'aborted' ? /cancelled/ : /scan\.stria: the message/);
  expect(exitCodeMeanings.map(([code]) => code)).toContain(faultWords[tag].exitCode);
  expect(faultWords[tag].exitCode).not.toBe(0);
});

test('the place of a fault precedes its message', () => {
  const fault = inContext('scan.stria', new StriaError('corrupt', 'it ends early', { context: ['chunk 3'] }));
  expect(describeFault(fault)).toMatch(/^stria: damaged file: scan\.stria, chunk 3: it ends early\n {2}.*recover/);
});

test('only of a .stria can chunks be recovered', () => {
  const fault = new StriaError('corrupt', 'it ends early');
  expect(describeFault(inContext('scan.stria', fault))).toContain('recover');
  expect(describeFault(inContext('scan.dcm', fault))).not.toContain('recover');
  expect(describeFault(inContext('scan.stria', fault), 'verify')).toContain('recover');
  expect(describeFault(inContext('scan.stria', fault), 'recover')).not.toContain('recover');
});

test('bench is not told to use the CPU, with which its kernels do not run', () => {
  for (const tag of ['no-adapter', 'no-webgpu', 'limit-too-small'] as const) {
    const fault = new StriaError(tag, 'there is no GPU');
    expect(describeFault(fault, 'bench')).not.toMatch(/Use `--device cpu`/);
    expect(describeFault(fault, 'verify')).toMatch(/Use `--device cpu`/);
  }
});
