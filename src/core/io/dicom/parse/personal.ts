import text from './basic-profile.txt?raw';
import { isPrivate } from './dictionary.ts';

/** What PS3.15 does with an element: D replaces the value with a dummy, Z empties it, X removes the element, U replaces a UID. */
export type ProfileAction = 'D' | 'Z' | 'X' | 'U';

let known: ReadonlyMap<number, ProfileAction> | undefined;

/**
 * basic-profile.txt is PS3.15, table E.1-1: each action with its elements. If the table allows several actions, it has the one that
 * keeps any kind of file valid: D before Z, Z before X.
 */
function profile(): ReadonlyMap<number, ProfileAction> {
  known ??= new Map(
    text.split('\n').flatMap((line) => {
      const [action, ...tags] = line.trim().split(' ');
      return tags.map((tag): [number, ProfileAction] => [Number.parseInt(tag, 16), action as ProfileAction]);
    }),
  );
  return known;
}

/** What the basic profile does with an element. Undefined if it keeps it. */
export function profileAction(tag: number): ProfileAction | undefined {
  const group = tag >>> 16;
  const isCurve = group >= 0x5000 && group <= 0x50ff;
  const isOverlayText = group >= 0x6000 && group <= 0x60ff && ((tag & 0xffff) === 0x4000 || (tag & 0xffff) === 0x3000);
  // The meaning of private elements is unknown.
  if (isPrivate(tag) || isCurve || isOverlayText) return 'X';
  return profile().get(tag);
}

/** Whether an element may identify a person. Any private element may. */
export function isPersonal(tag: number): boolean {
  return profileAction(tag) !== undefined;
}
