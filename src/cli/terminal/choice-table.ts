import type { VolumeChoice } from '../../core/shared/volume-choice.ts';
import { table } from './text.ts';

/** The volumes of a file or folder, one line each, under their groups. */
export function choiceTable(choices: readonly VolumeChoice[]): string {
  const rows = choices.map(({ id, label, group, shape, type, details, problem }) => [
    id,
    [...group, label].filter(Boolean).join(' / '),
    [shape.join(' × '), type].filter(Boolean).join(' '),
    problem === undefined ? details : `cannot be opened: ${problem}`,
  ]);
  return table([['ID', 'Volume', 'Shape', ''], ...rows]);
}
