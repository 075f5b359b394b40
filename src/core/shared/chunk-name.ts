/** The name of a chunk in messages. Messages count from 1, files from 0. */
export function chunkName(number: number): string {
  return `chunk ${number + 1}`;
}
