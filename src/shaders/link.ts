/** The differences between shaders of one entry file: conditions (`@if(name)`) and u32 constants (`import constants::name`). */
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
  const shader = variants.get(key) ?? link(entry, variant);
  variants.set(key, shader);
  return shader;
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
