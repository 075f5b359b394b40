/** Resolves `electron` to the double, and everything else as usual. */
export function resolve(specifier, context, next) {
  if (specifier !== 'electron') return next(specifier, context);
  return { url: new URL('./electron.mjs', import.meta.url).href, shortCircuit: true };
}
