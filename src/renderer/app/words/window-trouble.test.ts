import { describe, expect, it } from 'vitest';
import { windowTrouble } from './window-trouble.ts';

const info = { slope: 1, intercept: 0 };
const values = { numbers: [0, 200] as const, count: 8 };

describe('a window that shows nothing', () => {
  it('is reported as below or above the values', () => {
    expect(windowTrouble([99_900, 99_999], info, values)).toBe('All values lie below the window.');
    expect(windowTrouble([-300, -173], info, values)).toBe('All values lie above the window.');
    expect(windowTrouble([200, 300], info, values)).toBe('All values lie below the window.');
    expect(windowTrouble([300, 400], { slope: -1, intercept: 0 }, values)).toBe('All values lie above the window.');
  });

  it('is reported as far too wide', () => {
    expect(windowTrouble([-50_000, 49_999], info, values)).toBe(
      'The window is 500 times wider than the range of values, so all look alike.',
    );
  });

  it('is not reported otherwise', () => {
    expect(windowTrouble([0, 200], info, values)).toBeUndefined();
    expect(windowTrouble([-300, 400], info, values)).toBeUndefined();
    expect(windowTrouble([150, 900], info, values)).toBeUndefined();
    expect(windowTrouble([42, 43], info, { numbers: [42, 42], count: 8 })).toBeUndefined();
    expect(windowTrouble([0, 1], info, { numbers: [0, 0], count: 0 })).toBeUndefined();
  });
});
