import { describe, expect, it } from 'vitest';
import { type KeyPress, matchesShortcut, showShortcut } from './shortcuts.ts';

const press = (key: string, modifiers: Partial<KeyPress> = {}): KeyPress => ({
  key,
  ctrlKey: false,
  metaKey: false,
  shiftKey: false,
  altKey: false,
  ...modifiers,
});

describe('shortcuts', () => {
  it('use ⌘ on macOS and Ctrl elsewhere', () => {
    expect(matchesShortcut('Mod+O', press('o', { ctrlKey: true }), false)).toBe(true);
    expect(matchesShortcut('Mod+O', press('o', { metaKey: true }), true)).toBe(true);
    expect(matchesShortcut('Mod+O', press('o', { ctrlKey: true }), true)).toBe(false);
    expect(matchesShortcut('Mod+O', press('o'), false)).toBe(false);
    expect(matchesShortcut('C', press('c', { ctrlKey: true }), false)).toBe(false);
    expect(matchesShortcut('C', press('c'), false)).toBe(true);
  });

  it('distinguish Shift for letters, not for other characters', () => {
    expect(matchesShortcut('Mod+S', press('S', { ctrlKey: true, shiftKey: true }), false)).toBe(false);
    expect(matchesShortcut('Shift+Mod+S', press('S', { ctrlKey: true, shiftKey: true }), false)).toBe(true);
    expect(matchesShortcut('?', press('?', { shiftKey: true }), false)).toBe(true);
    expect(matchesShortcut('?', press('?'), false)).toBe(true);
    expect(matchesShortcut('1', press('1'), false)).toBe(true);
    expect(matchesShortcut('[', press('[', { altKey: true }), false)).toBe(false);
  });

  it('work for keys that type no character', () => {
    expect(matchesShortcut('Space', press(' '), false)).toBe(true);
    expect(matchesShortcut('Space', press(' ', { shiftKey: true }), false)).toBe(false);
    expect(matchesShortcut('ArrowLeft', press('ArrowLeft'), true)).toBe(true);
    expect(matchesShortcut('Home', press('Home', { ctrlKey: true }), false)).toBe(false);
    expect(['Space', 'ArrowRight', 'Delete'].map((key) => showShortcut(key, false))).toEqual(['Space', '→', 'Delete']);
  });

  it('are shown as usual on the platform', () => {
    expect(showShortcut('Shift+Mod+S', true)).toBe('⇧⌘S');
    expect(showShortcut('Shift+Mod+S', false)).toBe('Ctrl+Shift+S');
    expect(showShortcut('[', false)).toBe('[');
  });
});
