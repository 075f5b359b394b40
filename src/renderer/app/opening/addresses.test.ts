import { expect, test } from 'vitest';
import { StriaError } from '../../../core/shared/errors.ts';
import type { HostFile } from '../../host/host.ts';
import { createAppStore } from '../state/store.ts';
import { Addresses } from './addresses.ts';

const file = { name: 'scan.stria' } as HostFile;

/** Addresses whose host answers when the test says so. */
function setUp() {
  const store = createAppStore();
  const log: string[] = [];
  let settle: { resolve(file: HostFile): void; reject(error: unknown): void } | undefined;
  const addresses = new Addresses({
    store,
    host: {
      openAddress: (address) =>
        new Promise((resolve, reject) => {
          log.push(`ask ${address}`);
          settle = { resolve, reject };
        }),
    },
    open: ([first]) => log.push(`open ${first?.name}`),
    openSought: ({ name }) => log.push(`open sought ${name}`),
    seek: (name) => {
      log.push(`seek ${name}`);
      store.setState({ document: { kind: 'loading', name, progress: {} as never } });
    },
    fail: (name, error) => log.push(`fail ${name}: ${(error as Error).message}`),
  });
  return { addresses, store, log, settle: () => settle };
}

test('the dialog closes when the volume was found, and stays for a fault', async () => {
  const { addresses, store, log, settle } = setUp();
  store.setState({ overlay: 'address' });
  const first = addresses.open(' https://a/x ');
  settle()?.reject(new StriaError('not-readable', 'no'));
  await expect(first).rejects.toThrow('no');
  expect(store.getState().overlay).toBe('address');
  const second = addresses.open('https://a/y');
  settle()?.resolve(file);
  await second;
  expect(store.getState().overlay).toBe('none');
  expect(log).toEqual(['ask https://a/x', 'ask https://a/y', 'open scan.stria']);
});

test('a cancelled address is not opened', async () => {
  const { addresses, store, log, settle } = setUp();
  const opening = addresses.open('https://a/x');
  addresses.cancel();
  settle()?.resolve(file);
  await opening;
  const given = addresses.openGiven('https://a/data/b%20c.nii?key=1');
  store.setState({ document: { kind: 'empty' } });
  settle()?.resolve(file);
  await given;
  expect(log).toEqual(['ask https://a/x', 'seek b c.nii', 'ask https://a/data/b%20c.nii?key=1']);
});

test('the address that a page is started with is opened, or its fault is shown', async () => {
  const { addresses, log, settle } = setUp();
  const first = addresses.openGiven('https://a/x.nii');
  settle()?.resolve(file);
  await first;
  const second = addresses.openGiven('nonsense');
  settle()?.reject(new StriaError('invalid-input', 'no address'));
  await second;
  expect(log.filter((line) => !line.startsWith('ask'))).toEqual([
    'seek x.nii',
    'open sought scan.stria',
    'seek nonsense',
    'fail nonsense: no address',
  ]);
});

test('the dialog that is closed does not cancel the address that the page was started with; what it opens does', async () => {
  for (const isOpened of [false, true]) {
    const { addresses, log, settle } = setUp();
    const given = addresses.openGiven('https://a/x.nii');
    const answer = settle();
    const typed = addresses.open('https://a/y.nii');
    if (isOpened) settle()?.resolve({ name: 'y.nii' } as HostFile);
    else addresses.cancel();
    if (isOpened) await typed;
    answer?.resolve(file);
    await given;
    expect(log.filter((line) => line.startsWith('open'))).toEqual([isOpened ? 'open y.nii' : 'open sought scan.stria']);
  }
});

test('the address that a page is started with does not replace what is being opened since, found or not', async () => {
  const { addresses, store, log, settle } = setUp();
  for (const end of [() => settle()?.resolve(file), () => settle()?.reject(new StriaError('not-readable', 'no'))]) {
    const given = addresses.openGiven('https://a/x.nii');
    store.setState({ document: { kind: 'loading', name: 'dropped.nii', progress: {} as never } });
    end();
    await given;
  }
  expect(log.filter((line) => /^(open|fail)/.test(line))).toEqual([]);
});
