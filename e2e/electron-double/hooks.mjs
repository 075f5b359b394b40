/** Resolves `electron` to the double, everything else as ever. */
export function resolve(specifier, context, next) {
  if (specifier !== 'electron') return next(specifier, context);
  return { url: new URL('./electron.mjs', import.meta.url).href, shortCircuit: true };
}
