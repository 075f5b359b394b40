import { describe, expect, it } from 'vitest';
import { blobFiles } from '../../host/blob-files.ts';
import { withStacks } from './picture-stacks.ts';

const stacks = (...names: string[]) =>
  withStacks(blobFiles(names.map((name) => new File(['12'], name)))).map(({ name, pictures }) => [
    name,
    ...(pictures ?? []).map((handle) => handle.name),
  ]);

describe('withStacks', () => {
  it('makes one stack of several PNGs and one of several TIFFs, and leaves other files alone', () => {
    expect(stacks('b.nii', 'f10.png', 'f2.PNG', 'x.tif', 'y.tiff', 'c.nrrd')).toEqual([
      ['b.nii'],
      ['f2-stack.PNG', 'f10.png', 'f2.PNG'],
      ['x-stack.tif', 'x.tif', 'y.tiff'],
      ['c.nrrd'],
    ]);
  });

  it('leaves OME-TIFFs alone, which say how they belong together', () => {
    expect(stacks('a.ome.tif', 'b.OME.TIFF', 'x.tif')).toEqual([['a.ome.tif'], ['b.OME.TIFF'], ['x.tif']]);
  });

  it('leaves a single picture alone', () => {
    expect(stacks('f1.png', 'x.tif')).toEqual([['f1.png'], ['x.tif']]);
  });

  it('adds the sizes, and does not have the id of a single picture', () => {
    const [stack] = withStacks(blobFiles([new File(['12'], 'a.png'), new File(['345'], 'b.png')], () => 'id'));
    expect(stack).toMatchObject({ size: 5 });
    expect(stack?.id).toBeUndefined();
  });
});
