import { useMemo } from 'react';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import { faceWords } from '../../app/sides.ts';
import { ofCount } from '../../app/words/counting.ts';
import { type ClipPlane, clipAt, withClip } from '../../viewer/model/clip.ts';
import { clipBox, clipFaces, draggedFace, faceMiddle, isFaceInFront } from '../../viewer/model/clip-faces.ts';
import { sceneEdges } from '../../viewer/model/orientation.ts';
import { useAppState } from '../hooks/use-app.ts';
import { type HandleSet, type HandlesProps, type SpaceHandle, SpaceHandles } from './space-handles.tsx';

/** Handles at the centres of the six faces of the clipped box, while they are switched on. */
export function ClipHandles({ viewer, info, prefix }: HandlesProps) {
  const isOn = useAppState((state) => state.clipHandles);
  const set = useMemo(() => clipHandles(info), [info]);
  return isOn ? <SpaceHandles viewer={viewer} set={set} prefix={prefix} /> : null;
}

function clipHandles(info: VolumeInfo): HandleSet {
  const edges = sceneEdges(info);
  const handleOf = (plane: ClipPlane): SpaceHandle => {
    const { axis, end } = plane;
    const name = 'xyz'[axis] as 'x' | 'y' | 'z';
    const voxels = info.dims[axis];
    const words = faceWords(info, plane);
    return {
      id: `clip-handle-${name}-${end}`,
      look: 'face',
      axis: name,
      label: `Clip plane: ${words}`,
      hint: `Drag to move the clip plane: ${words}`,
      least: 0,
      most: voxels - 1,
      value: ({ clip }) => clipAt(clip, plane, voxels),
      words: ({ clip }) => `${end} ${name} ${ofCount(clipAt(clip, plane, voxels), voxels)}`,
      place: ({ clip }) => faceMiddle(clip, plane, edges),
      isFaint: ({ clip }, frame) => !isFaceInFront(clip, plane, edges, frame),
      drag: ({ clip }, _anchor, frame, by) => ({ clip: draggedFace(clip, plane, edges, frame, by, voxels) }),
      step: ({ clip }, [right, up]) => ({ clip: withClip(clip, plane, clipAt(clip, plane, voxels) + right + up, voxels) }),
    };
  };
  return {
    label: 'Clip planes',
    tone: 'clip',
    isShown: () => true,
    anchor: () => [0, 0, 0],
    lines: ({ clip }) => clipBox(clip, edges),
    handles: clipFaces.map(handleOf),
  };
}
