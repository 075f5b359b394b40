/** The parts of a KeyboardEvent that shortcuts need. */
export interface KeyPress {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly shiftKey: boolean;
  readonly altKey: boolean;
}

/**
 * Whether a key press matches a shortcut, written `Mod+O`, `Shift+Mod+S`, `[`, `?`. Mod is ⌘ on macOS and Ctrl elsewhere.
 * Characters that need Shift on some keyboards (`?`, `[`) match with and without it.
 */
export function matchesShortcut(shortcut: string, press: KeyPress, isMac: boolean): boolean {
  const parts = shortcut.split('+');
  const key = parts.at(-1) as string;
  const mod = isMac ? press.metaKey : press.ctrlKey;
  const otherMod = isMac ? press.ctrlKey : press.metaKey;
  const isSign = key.length === 1 && key.toLowerCase() === key.toUpperCase() && !/\d/.test(key);
  if (mod !== parts.includes('Mod') || otherMod || press.altKey) return false;
  if (!isSign && press.shiftKey !== parts.includes('Shift')) return false;
  return press.key.toLowerCase() === (key === 'Space' ? ' ' : key.toLowerCase());
}

/** A shortcut as shown on this platform: `⇧⌘S` or `Ctrl+Shift+S`. */
export function showShortcut(shortcut: string, isMac: boolean): string {
  const parts = shortcut.split('+');
  const key = parts.at(-1) as string;
  const names = { Escape: 'Esc', ArrowLeft: '←', ArrowRight: '→' };
  const named = names[key as keyof typeof names] ?? (key.length > 1 ? key : key.toUpperCase());
  const shift = parts.includes('Shift');
  const mod = parts.includes('Mod');
  if (isMac) return `${shift ? '⇧' : ''}${mod ? '⌘' : ''}${named}`;
  return [mod && 'Ctrl', shift && 'Shift', named].filter(Boolean).join('+');
}

const movingKeys = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End', 'PageUp', 'PageDown'];
const movable =
  'input[type=range], [role=slider], [role=listbox], [role=menu], [role=radiogroup], [role=tablist], [role=toolbar], [role=separator]';

/** Whether the focused control handles a key itself, such as Space on a button or arrows on a slider. */
export function isOfControl(target: EventTarget | null, key: string): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (key === ' ') return target.closest('button, a[href], input, [role=option], [role=menuitem], [role=tab]') !== null;
  return movingKeys.includes(key) && target.closest(movable) !== null;
}

/** Whether keys are typed into a control, and so belong to it. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.closest('input:not([type=range], [type=checkbox], [type=color]), textarea, select, [contenteditable]') !== null
  );
}
