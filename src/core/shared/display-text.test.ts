import { expect, test } from 'vitest';
import { displayJson, displayLines, displayText } from './display-text.ts';

test.each([
  ['\u001b]0;owned\u0007', '\\u001b]0;owned\\u0007'],
  ['a\rb\nc\td\0', 'a\\u000db\\u000ac\\u0009d\\u0000'],
  ['\u007f\u0080\u009b31m\u009f', '\\u007f\\u0080\\u009b31m\\u009f'],
  ['scan\u202egnp.nii', 'scan\\u202egnp.nii'],
  ['\u2066a\u2069\u200e\u200f\u061c', '\\u2066a\\u2069\\u200e\\u200f\\u061c'],
  ['in\u200bvis\u00adi\u2060ble\ufeff', 'in\\u200bvis\\u00adi\\u2060ble\\ufeff'],
  ['\u{e0041}\u2028\u2029\ud800', '\\u{e0041}\\u2028\\u2029\\ud800'],
])('%j is written out', (text, shown) => {
  expect(displayText(text)).toBe(shown);
});

test.each(['scan (2) – größer.nii', '脳\u3000스캔', 'a\\b', '1\u2009234', 'e\u0301', '👩🔬', 'مسح'])('%j stays', (text) => {
  expect(displayText(text)).toBe(text);
});

test('the line breaks of a text of several lines stay', () => {
  expect(displayLines('a\nb\u001bc\r\n')).toBe('a\nb\\u001bc\\u000d\n');
});

test('JSON means the same, and holds no such character', () => {
  const value = { name: 'a\u009b1m\u202e\u007f\u{e0041}\n\u200b', list: ['\ud800'] };
  const json = displayJson(JSON.stringify(value, null, 2));
  expect(json).toMatch(/^[\n -~]*$/);
  expect(JSON.parse(json)).toEqual(value);
});
