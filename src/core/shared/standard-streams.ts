import { displayText } from './display-text.ts';

/** As an input: standard input. As an output: standard output. */
export const standardStream = '-';

/** An input or output in words for people. */
export function shownPath(path: string, stream: 'input' | 'output'): string {
  return path === standardStream ? `standard ${stream}` : displayText(path);
}
