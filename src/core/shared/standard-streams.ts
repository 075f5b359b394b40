import { displayText } from './display-text.ts';

/** Stands for standard input as an input, and for standard output as an output. */
export const standardStream = '-';

/** The name of an input or output in messages. */
export function shownPath(path: string, stream: 'input' | 'output'): string {
  return path === standardStream ? `standard ${stream}` : displayText(path);
}
