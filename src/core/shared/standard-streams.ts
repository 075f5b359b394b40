import { displayText } from './display-text.ts';

/** As an input, standard input; as an output, standard output. */
export const standardStream = '-';

/** The name of an input or output in messages. */
export function shownPath(path: string, stream: 'input' | 'output'): string {
  return path === standardStream ? `standard ${stream}` : displayText(path);
}
