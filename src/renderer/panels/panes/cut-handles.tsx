import { useMemo } from 'react';
import { scaled, sum } from '../../../core/shared/vectors.ts';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import { cutDistanceWords } from '../../app/words/cut-words.ts';
import {
  armLength,
  type CutPlane,
  cutAngles,
  cutMiddle,
  draggedCut,
  movedCut,
  reachOf,
  steppedAngles,
  tiltedCut,
  turnedCut,
} from '../../viewer/model/cut-plane.ts';
import { sceneEdges } from '../../viewer/model/orientation.ts';
import type { ViewState } from '../../viewer/model/viewer-api.ts';
import { angleWords, type HandleSet, type HandlesProps, SpaceHandles } from './space-handles.tsx';

/** Handles of the oblique clip plane: a disc that moves it along its normal, and an arrow tip that tilts it. */
export function CutHandles({ viewer, info, prefix }: HandlesProps) {
  const set = useMemo(() => cutHandles(info), [info]);
  return <SpaceHandles viewer={viewer} set={set} prefix={prefix} />;
}

const none: CutPlane = { normal: [0, 0, 1], offset: 0 };

function cutHandles(info: VolumeInfo): HandleSet {
  const edges = sceneEdges(info);
  const planeOf = ({ cut }: ViewState): CutPlane => cut ?? none;
  /** Largest distance from the centre to either side, as for the inspector's slider. */
  const steps = 100;
  return {
    label: 'Oblique clip plane',
    tone: 'cut',
    isShown: ({ cut }) => cut !== undefined,
    anchor: (state) => cutMiddle(planeOf(state), edges),
    lines: (state, anchor) => [[anchor, sum(anchor, scaled(planeOf(state).normal, armLength))]],
    handles: [
      {
        id: 'cut-disc',
        look: 'disc',
        label: 'Oblique clip plane: distance',
        hint: 'Drag to move the plane',
        least: -steps,
        most: steps,
        value: (state) => Math.round((planeOf(state).offset / reachOf(planeOf(state).normal, edges)) * steps),
        words: (state) => cutDistanceWords(planeOf(state), info),
        place: (_state, anchor) => anchor,
        drag: (state, anchor, frame, by) => ({ cut: draggedCut(planeOf(state), anchor, frame, by, edges) }),
        step: (state, [right, up]) => {
          const plane = planeOf(state);
          return { cut: movedCut(plane, plane.offset + ((right + up) / steps) * reachOf(plane.normal, edges), edges) };
        },
      },
      {
        id: 'cut-tip',
        look: 'tip',
        label: 'Oblique clip plane: turn and tilt',
        hint: 'Drag to tilt the plane',
        least: -180,
        most: 180,
        turns: true,
        value: (state) => Math.round(cutAngles(planeOf(state)).around),
        words: (state) => angleWords(cutAngles(planeOf(state))),
        place: (state, anchor) => sum(anchor, scaled(planeOf(state).normal, armLength)),
        drag: (state, anchor, frame, by) => ({ cut: tiltedCut(planeOf(state), anchor, frame, by) }),
        step: (state, step) => ({ cut: turnedCut(planeOf(state), steppedAngles(cutAngles(planeOf(state)), step)) }),
      },
    ],
  };
}
