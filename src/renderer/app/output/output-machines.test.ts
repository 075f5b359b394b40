import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MovieWork, PictureWork } from '../state/output-state.ts';
import { startProgress } from '../state/progress.ts';
import { type MovieEvent, movieKinds, nextMovie } from './movie-machine.ts';
import { nextPicture, type PictureEvent, pictureKinds } from './picture-machine.ts';

const fault = { tag: 'not-writable', message: 'the disk is full', context: [] } as const;
const progress = startProgress('Drawing frames', 10, 0);

const movieEvents: readonly MovieEvent[] = [
  { kind: 'ask', name: 'scan turntable' },
  { kind: 'draw', name: 'scan turntable', folder: '/movies', progress },
  { kind: 'progress', progress: { ...progress, done: 5 } },
  { kind: 'finish', name: 'scan turntable', folder: '/movies', frames: 10, format: 'pictures', reveal: undefined },
  { kind: 'fail', fault },
  { kind: 'cancel' },
  { kind: 'clear' },
];
const pictureEvents: readonly PictureEvent[] = [
  { kind: 'begin' },
  { kind: 'finish' },
  { kind: 'fail', fault },
  { kind: 'cancel' },
  { kind: 'choose' },
];

const run = <State, Event>(next: (state: State, event: Event) => State | undefined, first: State, events: readonly Event[]) =>
  events.reduce((state, event) => next(state, event) ?? state, first);
const movieAfter = (events: readonly MovieEvent[]) => run<MovieWork, MovieEvent>(nextMovie, { kind: 'none' }, events);
const pictureAfter = (events: readonly PictureEvent[]) => run<PictureWork, PictureEvent>(nextPicture, { kind: 'idle' }, events);

/** The shortest sequence of events to each state. */
const movieWays: Readonly<Record<MovieWork['kind'], readonly number[]>> = {
  none: [],
  asking: [0],
  running: [0, 1],
  done: [0, 1, 3],
  failed: [0, 4],
};
const pictureWays: Readonly<Record<PictureWork['kind'], readonly number[]>> = { idle: [], working: [0], failed: [0, 2] };

describe('a movie', () => {
  it.each(Object.entries(movieWays))('goes from %s as its table says, and ignores all other events', (kind, way) => {
    const state = movieAfter(way.map((index) => movieEvents[index] as MovieEvent));
    expect(state.kind).toBe(kind);
    const table = movieKinds[state.kind];
    for (const event of movieEvents) expect(nextMovie(state, event)?.kind, event.kind).toBe(table[event.kind]);
  });

  it('keeps its name, its place and its progress', () => {
    const [ask, draw, step, , fail] = movieEvents as readonly [MovieEvent, MovieEvent, MovieEvent, MovieEvent, MovieEvent];
    expect(movieAfter([ask, draw, step])).toMatchObject({ name: 'scan turntable', folder: '/movies', progress: { done: 5 } });
    expect(movieAfter([ask, fail])).toEqual({ kind: 'failed', name: 'scan turntable', fault });
  });

  it('is not begun twice, and cancelling it leaves none', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...movieEvents)), (events) => {
        const state = movieAfter(events);
        const isBusy = state.kind === 'asking' || state.kind === 'running';
        expect(nextMovie(state, movieEvents[0] as MovieEvent)?.kind).toBe(isBusy ? undefined : 'asking');
        if (isBusy) expect(nextMovie(state, { kind: 'cancel' })?.kind).toBe('none');
        // There is a way out of every state.
        expect(movieAfter([...events, { kind: 'cancel' }, { kind: 'clear' }]).kind).toBe('none');
      }),
    );
  });
});

describe('a picture', () => {
  it.each(Object.entries(pictureWays))('goes from %s as its table says, and ignores all other events', (kind, way) => {
    const state = pictureAfter(way.map((index) => pictureEvents[index] as PictureEvent));
    expect(state.kind).toBe(kind);
    const table = pictureKinds[state.kind];
    for (const event of pictureEvents) expect(nextPicture(state, event)?.kind, event.kind).toBe(table[event.kind]);
  });

  it('continues while the user chooses other options, and is idle once it was cancelled', () => {
    expect(pictureAfter([{ kind: 'begin' }, { kind: 'choose' }])).toEqual({ kind: 'working' });
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pictureEvents)), (events) => {
        expect(pictureAfter([...events, { kind: 'cancel' }])).toEqual({ kind: 'idle' });
      }),
    );
  });
});
