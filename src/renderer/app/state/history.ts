/** What undo can bring back, flat: one key for each thing that people set. */
export type Snapshot = Readonly<Record<string, unknown>>;

interface Step {
  /** The things that it changed, and only these. */
  readonly before: Snapshot;
  readonly after: Snapshot;
}

interface LastChange {
  readonly atMs: number;
  readonly gesture: number | undefined;
}

/** Changes of the same things that follow each other so soon are one step, in milliseconds. */
const mergeMs = 400;

/**
 * What was set, step by step. It is told what is so now and finds out what changed. A step holds what it changed and nothing
 * else: undoing it leaves alone what was never a step, such as the crosshair.
 */
export class History {
  readonly #limit: number;
  readonly #separate: readonly string[];
  readonly #undo: Step[] = [];
  readonly #redo: Step[] = [];
  #now: Snapshot = {};
  #last: LastChange | undefined;

  /**
   * @param limit the oldest step beyond this number is forgotten
   * @param separate things whose every change is a step, however soon after the one before: a list that people add to and
   * delete from, where a slider's values would be one step
   */
  constructor(limit = 200, separate: readonly string[] = []) {
    this.#limit = limit;
    this.#separate = separate;
  }

  /** Forgets all steps and begins at what is so now. */
  clear(now: Snapshot): void {
    this.#undo.length = 0;
    this.#redo.length = 0;
    this.#now = now;
    this.#last = undefined;
  }

  /**
   * Notes what is so now. Changes of the same things make one step while they follow each other at once (unless they are
   * separate), and as long as one gesture lasts.
   * @param gesture number of the drag that is going on; undefined: none is
   */
  record(now: Snapshot, { atMs, gesture }: LastChange): void {
    const keys = changedKeys(this.#now, now);
    if (keys.length === 0) {
      this.#now = now;
      return;
    }
    const before = pick(this.#now, keys);
    const after = pick(now, keys);
    const last = this.#undo.at(-1);
    const follows = this.#last !== undefined && (gesture === undefined || gesture === this.#last.gesture);
    const isSoon =
      this.#last !== undefined && atMs - this.#last.atMs < mergeMs && !keys.some((key) => this.#separate.includes(key));
    const isOneGesture = gesture !== undefined && gesture === this.#last?.gesture;
    if (last && follows && (isSoon || isOneGesture) && sameKeys(last.after, after)) {
      this.#undo.pop();
      // A drag may end where it began.
      if (changedKeys(last.before, after).length > 0) this.#undo.push({ ...last, after });
    } else this.#undo.push({ before, after });
    if (this.#undo.length > this.#limit) this.#undo.shift();
    this.#redo.length = 0;
    this.#now = now;
    this.#last = { atMs, gesture };
  }

  /** What is to be set so that the last step is undone; undefined: there is none. */
  undo(): Snapshot | undefined {
    const step = this.#undo.pop();
    if (!step) return undefined;
    this.#redo.push(step);
    return this.#goTo(step.before);
  }

  /** What is to be set so that the step that was undone last is so again; undefined: there is none. */
  redo(): Snapshot | undefined {
    const step = this.#redo.pop();
    if (!step) return undefined;
    this.#undo.push(step);
    return this.#goTo(step.after);
  }

  /** The things that the next `undo` would bring back. Empty: there is no step. */
  get undoKeys(): readonly string[] {
    return Object.keys(this.#undo.at(-1)?.before ?? {});
  }

  get redoKeys(): readonly string[] {
    return Object.keys(this.#redo.at(-1)?.after ?? {});
  }

  #goTo(change: Snapshot): Snapshot {
    this.#now = { ...this.#now, ...change };
    this.#last = undefined;
    return change;
  }
}

function changedKeys(a: Snapshot, b: Snapshot): string[] {
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].filter((key) => a[key] !== b[key] && JSON.stringify(a[key]) !== JSON.stringify(b[key]));
}

function sameKeys(a: Snapshot, b: Snapshot): boolean {
  return Object.keys(a).sort().join() === Object.keys(b).sort().join();
}

function pick(snapshot: Snapshot, keys: readonly string[]): Snapshot {
  return Object.fromEntries(keys.map((key) => [key, snapshot[key]]));
}
