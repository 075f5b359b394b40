/** What undo can restore: a flat object with one key for each thing that the user sets. */
export type Snapshot = Readonly<Record<string, unknown>>;

interface Step {
  /** The values that it changed, and only these. */
  readonly before: Snapshot;
  readonly after: Snapshot;
}

interface LastChange {
  readonly atMs: number;
  readonly gesture: number | undefined;
}

/** Changes of the same keys within this time are one step, in milliseconds. */
const mergeMs = 400;

/** The ids in a list that is a value of a snapshot, or in several; undefined for other values. */
export type MembersOf = (key: string, value: unknown) => readonly string[] | undefined;

/**
 * Undo steps. It is told the current snapshot and finds what changed. A step holds only what it changed, so undoing it leaves
 * everything else alone, such as the crosshair.
 */
export class History {
  readonly #limit: number;
  readonly #separate: readonly string[];
  readonly #membersOf: MembersOf;
  readonly #undo: Step[] = [];
  readonly #redo: Step[] = [];
  #now: Snapshot = {};
  #last: LastChange | undefined;

  /**
   * @param limit the oldest steps beyond this number are dropped
   * @param separate keys whose every change is a step of its own, however soon: lists with additions and deletions, unlike
   * sliders
   * @param membersOf a change that adds, removes or moves members is a step of its own, also during a drag
   */
  constructor(limit = 200, separate: readonly string[] = [], membersOf: MembersOf = () => undefined) {
    this.#limit = limit;
    this.#separate = separate;
    this.#membersOf = membersOf;
  }

  /** Drops all steps and starts at the current snapshot. */
  clear(now: Snapshot): void {
    this.#undo.length = 0;
    this.#redo.length = 0;
    this.#now = now;
    this.#last = undefined;
  }

  /**
   * Records the current snapshot. Changes of the same keys become one step if they follow each other quickly (unless they are
   * separate) or belong to one gesture.
   * @param gesture number of the current drag; undefined if there is none
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
    const isAlone = this.#changesMembers({ before, after }) || (last !== undefined && this.#changesMembers(last));
    if (last && follows && (isSoon || isOneGesture) && !isAlone && sameKeys(last.after, after)) {
      this.#undo.pop();
      // A drag may end where it started.
      if (changedKeys(last.before, after).length > 0) this.#undo.push({ ...last, after });
    } else this.#undo.push({ before, after });
    if (this.#undo.length > this.#limit) this.#undo.shift();
    this.#redo.length = 0;
    this.#now = now;
    this.#last = { atMs, gesture };
  }

  /** The values to set in order to undo the last step; undefined if there is none. */
  undo(): Snapshot | undefined {
    const step = this.#undo.pop();
    if (!step) return undefined;
    this.#redo.push(step);
    return this.#goTo(step.before);
  }

  /** The values to set in order to redo the last undone step; undefined if there is none. */
  redo(): Snapshot | undefined {
    const step = this.#redo.pop();
    if (!step) return undefined;
    this.#undo.push(step);
    return this.#goTo(step.after);
  }

  /** The keys that the next `undo` would restore. Empty if there is no step. */
  get undoKeys(): readonly string[] {
    return Object.keys(this.#undo.at(-1)?.before ?? {});
  }

  get redoKeys(): readonly string[] {
    return Object.keys(this.#redo.at(-1)?.after ?? {});
  }

  #changesMembers({ before, after }: Step): boolean {
    return Object.keys(after).some((key) => {
      const [one, other] = [this.#membersOf(key, before[key]), this.#membersOf(key, after[key])];
      return one?.join('\n') !== other?.join('\n');
    });
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
