import { expect, test, vi } from 'vitest';
import type { FaultData } from '../../../core/shared/errors.ts';
import { testInfo } from '../../../core/volume/resident-testing.ts';
import type { OpenDocument } from '../state/document-state.ts';
import { type AppState, createAppStore } from '../state/store.ts';
import { diagnosticsText } from './diagnostics.ts';

test('diagnostics tell nothing of a person: neither tags nor the names of several volumes', async () => {
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
