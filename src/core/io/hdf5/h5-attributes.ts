import { toStriaError } from '../../shared/errors.ts';
import type { JobOptions } from '../../shared/job.ts';
import type { VolumeTag } from '../../shared/volume-facts.ts';
import type { H5File } from './h5-file.ts';

/** The attributes of an object, keyed by name: numbers, strings, and lists of them. */
export type Attributes = ReadonlyMap<string, unknown>;

/** The longest attribute that is read. Longer attributes do not describe a volume. */
const attributeBytes = 64 * 1024;
const attributeLimit = 500;
const textLimit = 2000;

/** Reads an object's attributes. Skips unreadable ones. @throws StriaError `not-readable`, `aborted` */
export async function readAttributes(file: H5File, path: string, job: JobOptions): Promise<Attributes> {
  const found = new Map<string, unknown>();
  const orNothing = (error: unknown) => {
    if (toStriaError(error).tag !== 'corrupt') throw error;
    return undefined;
  };
  const what = `the attributes of ${path} cannot be read`;
  const names = await file.call(({ module }) => module.get_attribute_names(file.id, path), job, what).catch(orNothing);
  for (const name of (names ?? []).slice(0, attributeLimit)) {
    const value = await file
      .call(
        ({ module, h5wasm }) => {
          const { size, total_size } = module.get_attribute_metadata(file.id, path, name);
          if (size * total_size > attributeBytes) return undefined;
          return plainValue(new h5wasm.Attribute(file.id, path, name).json_value);
        },
        job,
        what,
      )
      .catch(orNothing);
    if (value !== undefined) found.set(name, value);
  }
  return found;
}

/** Replaces a list of one value with the value, which is what most writers mean. */
function plainValue(value: unknown): unknown {
  return Array.isArray(value) && value.length === 1 ? value[0] : (value ?? undefined);
}

export function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' ? Number.parseFloat(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

export function numbersOf(value: unknown): readonly number[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const numbers = value.map(numberOf);
  return numbers.every((number) => number !== undefined) ? numbers : undefined;
}

/** The text of a string, or of a list of single letters, as Imaris writes it. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value) || !value.every((letter) => typeof letter === 'string')) return undefined;
  return value.every((letter) => letter.length <= 1) ? value.join('') : value.join(', ');
}

export function textsOf(value: unknown): readonly string[] | undefined {
  if (typeof value === 'string') return value.split(/[,:]/).map((text) => text.trim());
  return Array.isArray(value) && value.every((text) => typeof text === 'string') ? value : undefined;
}

export function tagsOf(path: string, attributes: Attributes): readonly VolumeTag[] {
  return [...attributes].map(([name, value]) => ({
    id: `${path === '/' ? '' : path}/@${name}`,
    name,
    value: (textOf(value) ?? JSON.stringify(value) ?? '').slice(0, textLimit),
    isPersonal: false,
  }));
}
