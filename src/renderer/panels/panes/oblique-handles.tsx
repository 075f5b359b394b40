import { useMemo } from 'react';
import { scaled, sum } from '../../../core/shared/vectors.ts';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import type { ScenePoint } from '../../viewer/model/camera-frame.ts';
import { armLength, steppedAngles, tiltedCut } from '../../viewer/model/cut-plane.ts';
import { obliqueInScene, tiltTowards, voxelInScene } from '../../viewer/model/oblique-geometry.ts';
import type { ViewState } from '../../viewer/model/viewer-api.ts';
import { useAppState } from '../hooks/use-app.ts';
import { angleWords, type HandleSet, type HandlesProps, SpaceHandles } from './space-handles.tsx';

/** The normal of the oblique slice in the 3D view. Its tip turns the slice about the crosshair. */
export function ObliqueHandles({ viewer, info, prefix }: HandlesProps) {
  // While a layer is aligned, its own handles would lie over these.
  const isShown = useAppState(({ settings, layers }) => settings.layout === 'oblique' && !layers.aligning);
  const set = useMemo(() => obliqueHandles(info), [info]);
  return isShown ? <SpaceHandles viewer={viewer} set={set} prefix={prefix} /> : null;
}

function obliqueHandles(info: VolumeInfo): HandleSet {
  const planeOf = ({ oblique, crosshair }: ViewState) => obliqueInScene(info, oblique, crosshair);
  const anglesOf = ({ oblique: { turn, tilt } }: ViewState) => ({ around: turn, up: tilt });
  const tipOf = (state: ViewState, anchor: ScenePoint): ScenePoint => sum(anchor, scaled(planeOf(state).normal, armLength));
  return {
    label: 'Oblique slice',
    tone: 'oblique',
    isShown: () => true,
    anchor: ({ crosshair }) => voxelInScene(info, crosshair),
    lines: (state, anchor) => [[anchor, tipOf(state, anchor)]],
    handles: [
      {
        id: 'oblique-tip',
        look: 'tip',
        label: 'Axis of the oblique slice',
        hint: 'Drag to turn the oblique slice',
        least: -180,
        most: 180,
        value: ({ oblique }) => oblique.turn,
        words: (state) => angleWords(anglesOf(state)),
        place: tipOf,
        drag: (state, anchor, frame, by) => {
          const { normal } = tiltedCut(planeOf(state), anchor, frame, by);
          return { oblique: tiltTowards(info, normal, state.oblique) };
        },
        step: (state, step) => {
          const { around, up } = steppedAngles(anglesOf(state), step);
          return { oblique: { turn: around, tilt: up } };
        },
      },
    ],
  };
}
