/** What differs between shaders of one entry file. Booleans are conditions (`@if(name)`), numbers u32 constants (`import constants::name`). */
export type Variant = Readonly<Record<string, boolean | number>>;

/** The text to compile, and where its lines come from. */
export interface LinkedShader {
  readonly text: string;
  /** @param line from 1 on @returns `rice/decode.wgsl:12` */
  locate(line: number): string;
}

const linked = new WeakMap<ShaderFile, Map<string, LinkedShader>>();

/**
 * Joins an entry file and everything it imports, directly or indirectly. Each file comes once, before the files that import it.
 * The same file and variant give the same object.
 * @throws TypeError if the variant lacks a constant
 */
export function linkShader(entry: ShaderFile, variant: Variant = {}): LinkedShader {
  const key = JSON.stringify(Object.entries(variant).sort());
  const variants = linked.get(entry) ?? new Map<string, LinkedShader>();
  linked.set(entry, variants);
  const known = variants.get(key);
  if (known) return known;
  const made = join(filesOf(entry, variant), variant);
  variants.set(key, made);
  return made;
}

function holds({ when }: { readonly when?: string | undefined }, variant: Variant): boolean {
  if (when === undefined) return true;
  return when.startsWith('!') ? variant[when.slice(1)] !== true : variant[when] === true;
}

function filesOf(entry: ShaderFile, variant: Variant): ShaderFile[] {
  const files = new Set<ShaderFile>();
  const met = new Set<ShaderFile>();
  const visit = (file: ShaderFile) => {
    if (met.has(file)) return;
    met.add(file);
    for (const one of file.imports) if (holds(one, variant)) visit(one.file());
    files.add(file);
  };
  visit(entry);
  return [...files];
}

function join(files: readonly ShaderFile[], variant: Variant): LinkedShader {
  const constants = new Map<string, string>();
  for (const { path, constants: imported } of files) {
    for (const { name } of imported.filter((one) => holds(one, variant))) {
      const value = variant[name];
      if (typeof value !== 'number')
        throw new TypeError(`${path} imports constants::${name}: the kernel's variant has no such number`);
      constants.set(name, `const ${name} = ${value}u;`);
    }
  }
  const texts = [[...constants.values()].join(' ')];
  const starts = files.map((file) => {
    const start = texts.join('\n').split('\n').length + 1;
    texts.push(file.pieces.map((piece) => (holds(piece, variant) ? piece.text : piece.text.replace(/[^\n]/g, ''))).join(''));
    return start;
  });
  return {
    text: texts.join('\n'),
    locate(line) {
      const at = starts.findLastIndex((start) => start <= line);
      const file = files[at];
      return file ? `${file.path}:${line - (starts[at] as number) + 1}` : `constants:${line}`;
    },
  };
}
