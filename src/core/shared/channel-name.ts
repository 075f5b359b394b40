import { displayText } from './display-text.ts';
import type { Channel } from './volume.ts';

/** A channel's own name, or its number if it has none. */
export function channelName({ name }: Channel, index: number): string {
  return displayText(name) || `Channel ${index + 1}`;
}
