/** Consecutive numbers. */
interface NumberRange {
  readonly first: number;
  readonly count: number;
}

/** Messages list at most this many ranges. */
const mostRanges = 12;

/** `4, 7 to 8 and more`, for messages. @param ranges of numbers that count from 1 */
export function rangeWords(ranges: Iterable<NumberRange>): string {
  const words: string[] = [];
  for (const { first, count } of ranges) {
    if (words.length === mostRanges) return `${words.join(', ')} and more`;
    words.push(count === 1 ? `${first}` : `${first} to ${first + count - 1}`);
  }
  return words.join(', ');
}
