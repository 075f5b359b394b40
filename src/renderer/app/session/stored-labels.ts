import { asArray, asNumber, asObject, asText } from '../../../core/format/json.ts';
import { StriaError } from '../../../core/shared/errors.ts';
import {
  isLabelNumber,
  type LabelEntry,
  type LabelTable,
  longestLabelName,
  mostLabels,
} from '../../../core/shared/label-table.ts';
import { firstLabelLook, type LabelLook } from '../../viewer/model/label-look.ts';
import { mostLayers } from '../../viewer/model/layers.ts';
import type { LabelsState } from '../state/label-state.ts';

/** One table for the open volume and one for each layer. */
const mostTables = mostLayers + 1;

/** The tables of labels in a session. @throws StriaError `corrupt` */
export function tablesOf(value: unknown): LabelsState['loaded'] {
  const entries = Object.entries(asObject(value ?? {}, 'layers.tables'));
  if (entries.length > mostTables) throw new StriaError('corrupt', `layers.tables has more than ${mostTables} tables`);
  return Object.fromEntries(
    entries.map(([id, stored]) => {
      const what = `layers.tables.${id}`;
      const { name, table } = asObject(stored, what);
      return [id, { name: asText(name, `${what}.name`), table: tableFrom(table, `${what}.table`) }];
    }),
  );
}

/** The look of labels; missing parts get their initial values. @throws StriaError `corrupt` */
export function labelLookFrom(value: unknown, tables: LabelsState['loaded'], what: string): LabelLook {
  if (value === undefined) return firstLabelLook;
  const { table, edits, shows, except } = asObject(value, what);
  return {
    table: typeof table === 'string' && Object.hasOwn(tables, table) ? table : undefined,
    edits: tableFrom(edits ?? [], `${what}.edits`),
    shows: shows === 'none' ? 'none' : 'all',
    except: asArray(except ?? [], `${what}.except`, { maxLength: mostLabels }).map((number) => labelNumber(number, what)),
  };
}

function tableFrom(value: unknown, what: string): LabelTable {
  return asArray(value, what, { maxLength: mostLabels }).map((item): LabelEntry => {
    const { number, name, color } = asObject(item, what);
    const isColor = color === undefined || (typeof color === 'string' && /^#[0-9a-f]{6}$/.test(color));
    if (!isColor) throw new StriaError('corrupt', `${what} has a color that is not #rrggbb`);
    return {
      number: labelNumber(number, what),
      ...(name !== undefined && { name: asText(name, `${what}.name`).slice(0, longestLabelName) }),
      ...(color !== undefined && { color }),
    };
  });
}

function labelNumber(value: unknown, what: string): number {
  const number = asNumber(value, what);
  if (isLabelNumber(number)) return number;
  throw new StriaError('corrupt', `${what} has the number ${number}, which no label has`);
}
