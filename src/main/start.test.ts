import { expect, test } from 'vitest';
import { compatibleArguments, isCompatible, plainArguments } from './compatibility.ts';
import { fileArguments } from './file-arguments.ts';
import { placeWindow } from './window-place.ts';

test('file arguments are absolute, without switches and the entry', () => {
  expect(fileArguments(['stria', 'a.nii', '--flag=x', '/b.nii'], '/home/ada', true)).toEqual(['/home/ada/a.nii', '/b.nii']);
  expect(fileArguments(['electron', '--inspect=0', '.', 'a.nii'], '/home/ada', false)).toEqual(['/home/ada/a.nii']);
  expect(fileArguments(['stria', '--', '-odd.nii', ''], '/home/ada', true)).toEqual(['/home/ada/-odd.nii']);
  expect(fileArguments(['stria', 'file:///data/a%20b.nii'], '/home/ada', true)).toEqual(['/data/a b.nii']);
  expect(fileArguments(['electron'], '/home/ada', false)).toEqual([]);
});

test('compatibility mode adds its switches once and removes them again', () => {
  const once = compatibleArguments(['.', 'a.nii'], 'linux');
  expect(once).toContain('--enable-unsafe-webgpu');
  expect(isCompatible(once)).toBe(true);
  expect(compatibleArguments(once, 'linux').toSorted()).toEqual(once.toSorted());
  expect(plainArguments(once)).toEqual(['.', 'a.nii']);
});

test("the user's own switches win, and feature lists are merged", () => {
  const given = ['--ozone-platform=wayland', '--enable-features=Own,Other<Trial:size/3', '.'];
  const args = compatibleArguments(given, 'linux');
  const starting = (flag: string) => args.filter((argument) => argument.startsWith(flag));
  expect(starting('--ozone-platform')).toEqual(['--ozone-platform=wayland']);
  expect(starting('--enable-features').at(-1)).toBe('--enable-features=Own,Other<Trial:size/3,Vulkan');
  expect(compatibleArguments(args, 'linux').toSorted()).toEqual(args.toSorted());
  expect(plainArguments(args)).toEqual(given);
  const withFile = compatibleArguments(['.', '--', '--odd.nii'], 'linux');
  expect(withFile.slice(-2)).toEqual(['--', '--odd.nii']);
  expect(plainArguments(withFile)).toEqual(['.', '--', '--odd.nii']);
  expect(compatibleArguments([], 'win32')).not.toContain('--ozone-platform=x11');
});

test.each([
  // Chromium uses only the last of several lists.
  [['--enable-features=A', '--enable-features=B'], '--enable-features=B,Vulkan'],
  [['--enable-features=Vulkan:x/1,A'], '--enable-features=Vulkan:x/1,A'],
  [['--enable-features=Vulkan'], '--enable-features=Vulkan'],
  [['--enable-features='], '--enable-features=Vulkan'],
  [['--enable-features'], '--enable-features=Vulkan'],
  [['--disable-features=Vulkan'], '--enable-features=Vulkan'],
])('compatibility mode has Vulkan beside %j, and gives it back', (given, features) => {
  const args = compatibleArguments(given, 'linux');
  expect(args.filter((argument) => argument.startsWith('--enable-features')).at(-1)).toBe(features);
  expect(plainArguments(args)).toEqual(given);
});

const screen = { x: 0, y: 0, width: 1920, height: 1040 };
const place = { x: 100, y: 50, width: 1000, height: 700, maximized: false };

test('the window opens at its last position, if that is still on a screen', () => {
  expect(placeWindow(undefined, [screen])).toEqual({ width: 1360, height: 860 });
  expect(placeWindow(place, [screen])).toEqual({ x: 100, y: 50, width: 1000, height: 700 });
  expect(placeWindow({ ...place, x: -1500 }, [screen])).toEqual({ width: 1360, height: 860 });
  expect(placeWindow({ ...place, x: -1500 }, [screen, { ...screen, x: -1920 }])).toMatchObject({ x: -1500 });
  expect(placeWindow({ ...place, y: -900 }, [screen])).toEqual({ width: 1360, height: 860 });
  expect(placeWindow({ ...place, width: 9000, height: 3 }, [screen])).toMatchObject({ width: 1920, height: 480 });
  expect(placeWindow(undefined, [{ ...screen, width: 1024, height: 600 }])).toEqual({ width: 1024, height: 600 });
  expect(placeWindow(undefined, [])).toEqual({ width: 1360, height: 860 });
});
