/** Class names joined; what is undefined or false is left out. */
export function classes(...names: readonly (string | undefined | false)[]): string {
  return names.filter(Boolean).join(' ');
}
