import { asArray, asCount, asNumber, asObject, asText } from '../../../core/format/json.ts';
import { StriaError } from '../../../core/shared/errors.ts';
import { isLabelNumber } from '../../../core/shared/label-table.ts';
import { mostMeshes } from '../../viewer/model/layers.ts';
import type { SavedMesh } from '../state/saved-session.ts';
import { motionFrom } from './stored-numbers.ts';

const mostSmoothing = 200;

/**
 * The mesh layers of a session, without those whose volume it lacks: that layer was removed. @param volumes ids of its volumes
 * @throws StriaError `corrupt`
 */
export function meshesOf(value: unknown, volumes: readonly string[]): readonly SavedMesh[] {
  const meshes = asArray(value ?? [], 'layers.meshes', { maxLength: mostMeshes }).map((mesh, index): SavedMesh => {
    const what = (key: string): string => `layers.meshes[${index}].${key}`;
    const { source, look } = asObject(mesh, `layers.meshes[${index}]`);
    const { from, surface, timePoint, smoothing, motion } = asObject(source, what('source'));
    const { id, name, isVisible, opacity, color } = asObject(look, what('look'));
    const volume = asText(from, what('source.from'));
    if (typeof color !== 'string' || !/^#[0-9a-f]{6}$/i.test(color))
      throw new StriaError('corrupt', `${what('look.color')} is not #rrggbb`);
    return {
      source: {
        from: volume,
        surface: surfaceOf(surface, what('source.surface')),
        timePoint: asCount(timePoint ?? 0, what('source.timePoint'), 0),
        smoothing: Math.min(mostSmoothing, asCount(smoothing ?? 0, what('source.smoothing'), 0)),
        ...(motion !== undefined && { motion: motionFrom(motion, what('source.motion')) }),
      },
      look: {
        id: asText(id, what('look.id')),
        name: asText(name, what('look.name')),
        isVisible: isVisible !== false,
        opacity: typeof opacity === 'number' ? Math.min(1, Math.max(0, opacity)) : 1,
        color,
      },
    };
  });
  if (new Set(meshes.map(({ look }) => look.id)).size < meshes.length)
    throw new StriaError('corrupt', 'two surfaces have the same id');
  return meshes.filter(({ source }) => volumes.includes(source.from));
}

function surfaceOf(value: unknown, what: string): SavedMesh['source']['surface'] {
  const { level, label } = asObject(value, what);
  if (label === undefined) {
    const number = asNumber(level, `${what}.level`);
    if (Number.isFinite(number)) return { level: number };
  } else if (typeof label === 'number' && isLabelNumber(label)) {
    return { label };
  }
  throw new StriaError('corrupt', `${what} is neither a level nor a label`);
}
