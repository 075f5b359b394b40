import { useMemo } from 'react';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import { alignables, chosenAlignable } from '../../app/state/alignable.ts';
import { AlignSpace } from '../../viewer/model/align-space.ts';
import { layerCenter, motionNumbers, movedBy } from '../../viewer/model/alignment.ts';
import { changedLayer, type LayerLook } from '../../viewer/model/layers.ts';
import { hasOrientation, safeSpacing } from '../../viewer/model/orientation.ts';
import type { ViewState } from '../../viewer/model/viewer-api.ts';
import type { Viewer } from '../../viewer/viewer.ts';
import { useApp, useAppState } from '../hooks/use-app.ts';
import { type HandleSet, type KeyStep, SpaceHandles } from './space-handles.tsx';

type Motion = LayerLook['motion'];

/** Handles of the chosen layer in the 3D view, while they are switched on: an arm along each world axis and a ring about it. */
export function AlignSpaceHandles({ viewer }: { readonly viewer: Viewer }) {
  const app = useApp();
  const id = useAppState((state) => (state.layers.aligning ? chosenAlignable(state)?.look.id : undefined));
  const sets = useMemo(() => {
    const found = alignables(app.store.getState()).find(({ look }) => look.id === id);
    return found ? alignSets(found.base, found.layer, found.look.id) : [];
  }, [app, id]);
  return sets.map((set) => <SpaceHandles key={`${id}-${set.tone}`} viewer={viewer} set={set} prefix="" />);
}

const patientAxes = ['right', 'anterior', 'superior'] as const;
const names = ['x', 'y', 'z'] as const;

function alignSets(base: VolumeInfo, layer: VolumeInfo, id: string): readonly HandleSet[] {
  const space = new AlignSpace(base, layer);
  const atRest = layerCenter(base, layer);
  const spacing = Math.min(...safeSpacing(base));
  const words = hasOrientation(base) ? patientAxes : names;
  const motionOf = ({ layers }: ViewState): Motion => layers.layers.find((look) => look.id === id)?.motion;
  const moved = ({ layers }: ViewState, motion: Motion): Partial<ViewState> => ({ layers: changedLayer(layers, id, { motion }) });
  const numbersOf = (state: ViewState) => motionNumbers(motionOf(state), atRest);
  const stepsOf = ([right, up]: KeyStep): number => (Number.isFinite(right + up) ? right + up : 0);
  const common = {
    isShown: () => true,
    anchor: (state: ViewState) => space.center(motionOf(state)),
  };
  const axes = ([0, 1, 2] as const).map((axis): HandleSet => {
    const word = words[axis];
    const numberOf = (state: ViewState, key: 'move' | 'turn'): number => Math.round(numbersOf(state)[key][axis] * 100) / 100 + 0;
    const unit: [number, number, number] = [0, 0, 0];
    unit[axis] = spacing;
    return {
      ...common,
      label: `Alignment, ${word}`,
      tone: names[axis],
      lines: (_state, anchor) => space.lines(anchor, axis),
      handles: [
        {
          id: `align-tip-${names[axis]}`,
          look: 'tip',
          label: `Move the layer along ${word}`,
          hint: `Drag to move the layer along ${word}; Shift is finer`,
          least: -1e6,
          most: 1e6,
          value: (state) => numberOf(state, 'move'),
          words: (state) => `${numberOf(state, 'move')}`,
          place: (_state, anchor) => space.tip(anchor, axis),
          drag: (state, _anchor, frame, by) => moved(state, space.draggedTip(motionOf(state), axis, frame, by)),
          step: (state, step) => {
            const far = stepsOf(step);
            return moved(state, movedBy(motionOf(state), [unit[0] * far, unit[1] * far, unit[2] * far]));
          },
        },
        {
          id: `align-knob-${names[axis]}`,
          look: 'face',
          label: `Turn the layer about ${word}`,
          hint: `Drag to turn the layer about ${word}; Shift is finer`,
          least: -180,
          most: 180,
          value: (state) => numberOf(state, 'turn'),
          words: (state) => `${numberOf(state, 'turn')} degrees`,
          place: (_state, anchor) => space.knob(anchor, axis),
          drag: (state, _anchor, frame, by) => moved(state, space.draggedKnob(motionOf(state), axis, frame, by)),
          step: (state, step) => moved(state, space.turned(motionOf(state), axis, stepsOf(step))),
        },
      ],
    };
  });
  const middle: HandleSet = {
    ...common,
    label: 'Alignment',
    tone: 'layer',
    lines: () => [],
    handles: [
      {
        id: 'align-center',
        look: 'disc',
        label: 'Move the layer',
        hint: 'Drag to move the layer; Shift is finer',
        least: 0,
        most: 1e6,
        value: (state) => Math.round(Math.hypot(...numbersOf(state).move) * 100) / 100,
        words: (state) => `moved by ${Math.round(Math.hypot(...numbersOf(state).move) * 100) / 100}`,
        place: (_state, anchor) => anchor,
        drag: (state, _anchor, frame, by) => moved(state, space.draggedCenter(motionOf(state), frame, by)),
        // The arms handle the keys that move the layer.
        step: () => ({}),
      },
    ],
  };
  return [...axes, middle];
}
