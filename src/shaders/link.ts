/** The differences between shaders of one entry file: conditions (`@if(name)`) and u32 constants (`import constants::name`). */
export type Variant = Readonly<Record<string, boolean | number>>;

/** Values of overrides, by their names. `bool` takes 0 or 1. */
export type OverrideValues = Readonly<Record<string, number>>;

/** The text to compile, and where its lines come from. */
export interface LinkedShader {
  readonly text: string;
  /** @param line from 1 on @returns `rice/decode.wgsl:12` */
  locate(line: number): string;
}

const linked = new WeakMap<ShaderFile, Map<string, LinkedShader>>();

/**
 * Joins an entry file and everything it imports, directly or indirectly. Each file comes once, before the files that import it.
 * The same file, variant and values give the same object.
 * @param values if given, overrides become constants. Dawn takes 1.4 times as long to compile `rice` with overrides
 * @throws TypeError if the variant lacks a constant, or the text an override
 */
export function linkShader(entry: ShaderFile, variant: Variant = {}, values?: OverrideValues): LinkedShader {
  const key = JSON.stringify([variant, values].map((one) => one && Object.entries(one).sort()));
  const variants = linked.get(entry) ?? new Map<string, LinkedShader>();
  linked.set(entry, variants);
  const known = variants.get(key);
  if (known) return known;
  const { text, locate } = link(entry, variant);
  const shader = { text: values ? withValues(text, values, entry.path) : text, locate };
  variants.set(key, shader);
  return shader;
}

const override = /\boverride (\w+): (\w+)(\s*=[^;]+)?;/g;

/** Replaces overrides by constants, and keeps the lines. One that has no value stays. */
function withValues(text: string, values: OverrideValues, path: string): string {
  const unused = new Set(Object.keys(values));
  const replaced = text.replace(override, (declaration, name: string, type: string, standard: string | undefined) => {
    unused.delete(name);
    const given = values[name];
    const value = given === undefined ? standard : ` = ${type}(${given})${standard?.replace(/[^\n]/g, '') ?? ''}`;
    return value === undefined ? declaration : `const ${name}: ${type}${value};`;
  });
  if (unused.size === 0) return replaced;
  throw new TypeError(`${path} has no override ${[...unused].join(', ')}`);
}

function link(entry: ShaderFile, variant: Variant): LinkedShader {
  const holds = ({ when }: { readonly when?: string | undefined }): boolean =>
    when === undefined || (variant[when.replace('!', '')] === true) !== when.startsWith('!');
  const constants = new Set<string>();
  const met = new Set<ShaderFile>();
  const parts: { readonly path: string; readonly start: number; readonly text: string }[] = [];
  let start = 2; // Line 1 has the constants.
  const visit = (file: ShaderFile): void => {
    if (met.has(file)) return;
    met.add(file);
    for (const { from, names } of file.imports.filter(holds)) {
      if (from === 'constants') for (const name of names) constants.add(constantOf(variant, name, file.path));
      else visit(from());
    }
    const text = file.pieces.map((piece) => (holds(piece) ? piece.text : piece.text.replace(/[^\n]/g, ''))).join('');
    parts.push({ path: file.path, start, text });
    start += text.split('\n').length;
  };
  visit(entry);
  const locate = (line: number): string => {
    const part = parts.findLast((one) => one.start <= line) ?? { path: 'constants', start: 1 };
    return `${part.path}:${line - part.start + 1}`;
  };
  return { text: [[...constants].join(' '), ...parts.map(({ text }) => text)].join('\n'), locate };
}

function constantOf(variant: Variant, name: string, path: string): string {
  if (typeof variant[name] === 'number') return `const ${name} = ${variant[name]}u;`;
  throw new TypeError(`${path} imports constants::${name}: the kernel's variant lacks it`);
}
