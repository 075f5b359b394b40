import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ComparisonState } from '../state/comparison-state.ts';
import { startProgress } from '../state/progress.ts';
import { type ComparisonEvent, nextComparison } from './comparison-machine.ts';

const progress = startProgress('Working', 10, 0);
const fault = { tag: 'corrupt', message: 'bad', context: [] } as const;
const links = { views: true, values: true, layers: true };
const viewer = {} as never;
const difference = {} as never;

const begin: ComparisonEvent = { kind: 'begin', name: 'b.nii', progress };
const present: ComparisonEvent = { kind: 'present', info: {} as never, viewer, links };
const subtract: ComparisonEvent = { kind: 'subtract', progress };
const know: ComparisonEvent = { kind: 'know', difference, whyUnseen: undefined };
const count: ComparisonEvent = { kind: 'know', difference, whyUnseen: 'no room' };
const refuse: ComparisonEvent = { kind: 'refuse', why: 'of other dimensions' };
const [beside, apart] = [{ kind: 'look', mode: 'beside' } as const, { kind: 'look', mode: 'difference' } as const];
const fail: ComparisonEvent = { kind: 'fail', fault };
const end: ComparisonEvent = { kind: 'end' };
const link: ComparisonEvent = { kind: 'link', change: { values: false } };
const all = {
  begin,
  progress: { kind: 'progress', progress } as const,
  present,
  fail,
  end,
  beside,
  apart,
  link,
  subtract,
  refuse,
  know,
  count,
};

function comparisonAfter(...events: readonly ComparisonEvent[]): ComparisonState {
  return events.reduce<ComparisonState>((state, event) => nextComparison(state, event) ?? state, { kind: 'none' });
}

const named = (state: ComparisonState): string =>
  state.kind === 'ready' ? `${state.mode}/${state.difference.kind}` : state.kind;

/** Every event that has an effect in a state, and the next state. */
function transitions(state: ComparisonState): string {
  return Object.entries(all)
    .flatMap(([name, event]) => {
      const next = nextComparison(state, event);
      return next ? [`${name}→${named(next)}`] : [];
    })
    .join(' ');
}

const ready = [begin, present];

describe('a comparison', () => {
  it.each<[string, ComparisonEvent[], string]>([
    ['none', [], 'begin→loading'],
    ['loading', [begin], 'begin→loading progress→loading present→beside/unknown fail→failed end→none'],
    ['failed', [begin, fail], 'begin→loading end→none'],
    [
      'beside/unknown',
      ready,
      'begin→loading end→none beside→beside/unknown link→beside/unknown subtract→beside/running refuse→beside/refused',
    ],
    [
      'beside/running',
      [...ready, subtract],
      'begin→loading progress→beside/running end→none beside→beside/running link→beside/running refuse→beside/refused know→beside/known count→beside/known',
    ],
    [
      'beside/refused',
      [...ready, refuse],
      'begin→loading end→none beside→beside/refused link→beside/refused subtract→beside/running refuse→beside/refused',
    ],
    [
      'beside/known',
      [...ready, subtract, know],
      'begin→loading end→none beside→beside/known apart→difference/known link→beside/known',
    ],
    [
      'difference/known',
      [...ready, subtract, know, apart],
      'begin→loading end→none beside→beside/known apart→difference/known link→difference/known',
    ],
  ])('allows these events, and ignores all others: %s', (name, events, expected) => {
    const state = comparisonAfter(...events);
    expect(named(state)).toBe(name);
    expect(transitions(state)).toBe(expected);
  });

  it('does not show a difference that has only numbers', () => {
    const counted = comparisonAfter(...ready, subtract, count);
    expect(nextComparison(counted, apart)).toBeUndefined();
    expect(named(nextComparison(counted, subtract) as ComparisonState)).toBe('beside/running');
  });

  it('keeps the second volume while the difference is computed', () => {
    const before = comparisonAfter(...ready, link);
    expect(before).toMatchObject({ name: 'b.nii', links: { views: true, values: false, layers: true } });
    const { kind: _, difference: __, ...rest } = before as Extract<ComparisonState, { kind: 'ready' }>;
    expect(comparisonAfter(...ready, link, subtract, know)).toMatchObject(rest);
  });

  it('can end and begin in every state', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...Object.values(all)), { maxLength: 40 }), (events) => {
        const state = comparisonAfter(...events);
        if (state.kind === 'ready' && state.mode === 'difference') expect(state.difference.kind).toBe('known');
        expect((nextComparison(state, end) ?? state).kind).toBe('none');
        expect(nextComparison(state, begin)?.kind).toBe('loading');
      }),
    );
  });
});
