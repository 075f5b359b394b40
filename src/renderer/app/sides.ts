import type { VolumeInfo } from '../../core/shared/volume.ts';
import type { ClipPlane } from '../viewer/model/clip.ts';
import { hasOrientation, type SceneSide, sceneSides, worldDirections } from '../viewer/model/orientation.ts';
import type { App } from './app.ts';
import type { Command } from './command.ts';
import { openDocument } from './state/store.ts';

const words: Readonly<Record<SceneSide['key'], string>> = {
  front: 'the front',
  back: 'the back',
  right: 'the right',
  left: 'the left',
  above: 'above',
  below: 'below',
};

/**
 * `View from the left`, by the patient's sides, or `View from +x` if the file gives no orientation. Two or three sides name
 * an edge or a corner.
 */
export function sideWords(sides: readonly SceneSide[], isPatient: boolean): string {
  const names = sides.map(({ key, axis }) => (isPatient ? words[key] : axis));
  const last = names.pop() ?? '';
  return `View from ${names.length === 0 ? last : `${names.join(', ')} and ${last}`}`;
}

const positive = ['right', 'front', 'top'] as const;
const negative = ['left', 'back', 'bottom'] as const;

/** The side of the volume that a clip plane cuts away: the patient's `left`, or `−x` if the file gives no orientation. */
export function faceWords(info: VolumeInfo, { axis, end }: ClipPlane): string {
  if (!hasOrientation(info)) return `${end === 'to' ? '+' : '−'}${'xyz'[axis]}`;
  const direction = worldDirections(info)[axis];
  return (end === 'to' ? direction.sign === 1 : direction.sign === -1) ? positive[direction.axis] : negative[direction.axis];
}

/** Commands that turn the 3D view to each side. They are named by the patient's sides or, without orientation, by voxel axes. */
export function sideCommands(app: App): Command[] {
  return [true, false].flatMap((isPatient) =>
    sceneSides.map((side) => ({
      id: isPatient ? `look-${side.key}` : `look-along-${side.key}`,
      label: sideWords([side], isPatient),
      group: 'View',
      enabled: (state) => {
        const document = openDocument(state);
        return document !== undefined && state.gpu.kind === 'ready' && hasOrientation(document.info) === isPatient;
      },
      run: () => app.view.lookFrom(side),
    })),
  );
}
