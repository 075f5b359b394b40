/** Joins class names, leaving out undefined and false. */
export function classes(...names: readonly (string | undefined | false)[]): string {
  return names.filter(Boolean).join(' ');
}
