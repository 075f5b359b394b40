import { expect, test, vi } from 'vitest';
import type { FaultData } from '../../../core/shared/errors.ts';
import { testInfo } from '../../../core/volume/resident-testing.ts';
import type { OpenDocument } from '../state/document-state.ts';
import { type AppState, createAppStore } from '../state/store.ts';
import { diagnosticsText, reportText } from './diagnostics.ts';

test('diagnostics contain no personal data: neither tags nor the names of several volumes', async () => {
  vi.stubGlobal('navigator', { userAgent: 'test', hardwareConcurrency: 2 });
  const tags = [{ id: '(0010,0010)', name: 'Patient Name', value: 'Doe^Jane', isPersonal: true }];
  const info = { ...testInfo([2, 2, 2, 1], 'u8'), windows: [{ name: 'Doe', low: 0, high: 1 }] };
  const document = { name: 'Doe', info, tags } as unknown as OpenDocument;
  const gpu = { kind: 'failed', diagnosis: { state: 'no-webgpu', advice: '' } } as unknown as AppState['gpu'];
  const state: AppState = { ...createAppStore().getState(), gpu, document: { kind: 'ready', document } };
  const choice = { id: '3', label: 'Doe', group: ['Doe Jane'], shape: [2], type: 'u8', details: 'CT' };
  const fault: FaultData = { tag: 'several', message: 'there are 2 volumes here: 3 (Doe)', context: [], choices: [choice] };
  const text = await diagnosticsText(state, fault);
  expect(text).toContain('several');
  expect(text).not.toMatch(/Doe|Jane/);
  vi.unstubAllGlobals();
});

test('a report contains faults and errors, without the names and paths in them', async () => {
  vi.stubGlobal('navigator', { userAgent: 'test', hardwareConcurrency: 2 });
  const gpu = { kind: 'failed', diagnosis: { state: 'no-webgpu', advice: '' } } as unknown as AppState['gpu'];
  const recent = [{ id: '1', name: 'Doe Jane', folder: '/home/doe', openedAt: 0 }] as unknown as AppState['recent'];
  const state: AppState = { ...createAppStore().getState(), gpu, recent, secondName: 'Doe' };
  const fault: FaultData = { tag: 'corrupt', message: 'Doe Jane is damaged', context: ['/home/doe/Doe Jane', 'chunk 3'] };
  const errors = [{ at: 7, text: "TypeError: 'Doe' of C:\\Users\\Jane\\a.nii\n  at f (app://stria/assets/index-a.js:1:2)" }];
  const text = await reportText(state, fault, errors);
  expect(text).not.toMatch(/Doe|Jane|home|Users/i);
  expect(text).toMatch(/^An error report of Stria\. Read it before you send it/);
  expect(JSON.parse(text.slice(text.indexOf('{')))).toMatchObject({
    fault: { tag: 'corrupt', message: '<name> is damaged', context: ['<name>/<name>', 'chunk 3'] },
    errors: [{ at: 7, text: 'TypeError: <name> of <path>\n  at f (assets/index-a.js:1:2)' }],
  });
  vi.unstubAllGlobals();
});

test('a report leaves out the names of files that wait to be opened or added as layers, or could not be added', async () => {
  vi.stubGlobal('navigator', { userAgent: 'test', hardwareConcurrency: 2 });
  const gpu = { kind: 'failed', diagnosis: { state: 'no-webgpu', advice: '' } } as unknown as AppState['gpu'];
  const state = createAppStore().getState();
  const fault: FaultData = { tag: 'corrupt', message: 'Doe Jane is damaged', context: ['Doe Jane'] };
  const layers = { ...state.layers, notAdded: [{ name: 'Doe Jane', fault }], waiting: ['Roe Max'] };
  const errors = [{ at: 7, text: 'TypeError: Roe Max and Poe Ann have no chunks' }];
  expect(await reportText({ ...state, gpu, layers, waitingFiles: ['Poe Ann'] }, fault, errors)).not.toMatch(
    /Doe|Jane|Roe|Max|Poe|Ann/,
  );
  vi.unstubAllGlobals();
});
