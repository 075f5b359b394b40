import { describe, expect, it, vi } from 'vitest';
import type { Measurement } from '../../viewer/model/measure.ts';
import { startProgress } from '../state/progress.ts';
import { createAppStore } from '../state/store.ts';
import { LeaveGuard } from './leave-guard.ts';

const measurements = [{ id: 'm' } as unknown as Measurement];

function setUp() {
  const store = createAppStore();
  return { store, guard: new LeaveGuard(store), leave: vi.fn(), overlay: () => store.getState().overlay };
}

describe('leaving a volume', () => {
  it('is not asked about if nothing would be lost', () => {
    const { store, guard, leave, overlay } = setUp();
    store.setState({ measurements, savedMeasurements: measurements });
    guard.before(leave);
    expect(leave).toHaveBeenCalledTimes(1);
    expect(overlay()).toBe('none');
  });

  it('waits for an answer if measurements are not saved', () => {
    const { store, guard, leave, overlay } = setUp();
    store.setState({ measurements });
    guard.before(leave);
    expect([leave.mock.calls.length, overlay(), store.getState().losses]).toEqual([0, 'leave', ['measurements']]);
    guard.stay();
    guard.leave();
    expect([leave.mock.calls.length, overlay()]).toEqual([0, 'none']);
    guard.before(leave);
    guard.leave();
    guard.leave();
    expect([leave.mock.calls.length, overlay()]).toEqual([1, 'none']);
  });

  it('is cancelled when Escape closes the question', () => {
    const { store, guard, leave } = setUp();
    store.setState({ measurements });
    guard.before(leave);
    store.setState({ overlay: 'none' });
    guard.leave();
    expect(leave).not.toHaveBeenCalled();
  });

  it('follows the answer to the last question', () => {
    const { store, guard, leave } = setUp();
    store.setState({ measurements });
    const last = vi.fn();
    guard.before(leave);
    guard.before(last);
    guard.leave();
    expect([leave.mock.calls.length, last.mock.calls.length]).toEqual([0, 1]);
  });

  it('asks about work on the volume, not about the queue', () => {
    const { store, guard, leave, overlay } = setUp();
    const progress = startProgress('Compressing', undefined, 0);
    store.setState({ queue: [{ id: 1, name: 'a.nii', size: 1, state: { kind: 'running', progress } }] });
    guard.before(leave);
    expect([leave.mock.calls.length, overlay()]).toEqual([1, 'none']);
    store.setState({ save: { kind: 'saving', name: 'a.stria', progress } });
    guard.before(leave);
    expect([leave.mock.calls.length, store.getState().losses]).toEqual([1, ['saving']]);
  });
});
