/** A waiting read. */
export interface WaitingRead {
  /** Lower numbers are more urgent. */
  readonly priority: number;
  readonly level: number;
  /** The maximum number of bytes that the payload takes in memory. */
  readonly payloadBytes: number;
  readonly range?: { readonly offset: number; readonly length: number } | undefined;
  /** Whether the read failed together with others, so that it is tried without them. */
  readonly isAlone: boolean;
}

export interface JoinLimits {
  /** Ranges that are at most this far apart are joined: a separate request would cost more than reading the gap. */
  readonly gapBytes: number;
  /** The maximum length of a joined range. */
  readonly joinedBytes: number;
  /** The maximum number of bricks in a read of bricks that have no ranges. */
  readonly bricksAtOnce: number;
  /** The maximum memory for the range and the payloads that are copied from it. */
  readonly memoryBytes: number;
}

/** The bytes of memory that a group of reads takes while it is read. */
export function memoryOf(group: readonly WaitingRead[]): number {
  const payloads = group.reduce((sum, { payloadBytes }) => sum + payloadBytes, 0);
  const ranges = group.flatMap(({ range }) => (range ? [range] : []));
  if (ranges.length === 0) return payloads;
  const start = Math.min(...ranges.map(({ offset }) => offset));
  const end = Math.max(...ranges.map(({ offset, length }) => offset + length));
  return payloads + end - start;
}

/**
 * The group of reads to join with the first one: those of its level whose ranges lie near it in the file, in the order of the file. The
 * range grows from the first read in both directions. A read without a range is joined with the most urgent others of its level.
 */
export function joinedWith<Read extends WaitingRead>(first: Read, waiting: Iterable<Read>, limits: JoinLimits): Read[] {
  const { range } = first;
  if (first.isAlone) return [first];
  if (!range) return withoutRanges(first, waiting, limits);
  let [start, end] = [range.offset, range.offset + range.length];
  const reach = limits.joinedBytes + limits.gapBytes;
  const near: (Read & { range: NonNullable<WaitingRead['range']> })[] = [];
  for (const read of waiting) {
    if (read === first || read.level !== first.level || read.isAlone || !hasRange(read)) continue;
    if (read.range.offset < end + reach && read.range.offset + read.range.length > start - reach) near.push(read);
  }
  near.sort((a, b) => a.range.offset - b.range.offset);
  const after = near.filter(({ range: { offset } }) => offset >= end);
  const before = near.filter(({ range: { offset } }) => offset < start).reverse();
  const group: Read[] = [first];
  let memory = memoryOf(group);
  const join = (read: (typeof near)[number], newStart: number, newEnd: number): boolean => {
    const more = read.payloadBytes + (newEnd - newStart) - (end - start);
    if (newEnd - newStart > limits.joinedBytes || memory + more > limits.memoryBytes) return false;
    group.push(read);
    memory += more;
    [start, end] = [newStart, newEnd];
    return true;
  };
  for (const read of after) {
    if (read.range.offset > end + limits.gapBytes || !join(read, start, read.range.offset + read.range.length)) break;
  }
  for (const read of before) {
    if (read.range.offset + read.range.length < start - limits.gapBytes || !join(read, read.range.offset, end)) break;
  }
  return group.sort((a, b) => (a.range?.offset ?? 0) - (b.range?.offset ?? 0));
}

function withoutRanges<Read extends WaitingRead>(first: Read, waiting: Iterable<Read>, limits: JoinLimits): Read[] {
  const others: Read[] = [];
  for (const read of waiting) {
    if (read !== first && read.level === first.level && !read.isAlone && !read.range) others.push(read);
  }
  others.sort((a, b) => a.priority - b.priority);
  const group = [first];
  let memory = first.payloadBytes;
  for (const read of others) {
    memory += read.payloadBytes;
    if (group.length === limits.bricksAtOnce || memory > limits.memoryBytes) break;
    group.push(read);
  }
  return group;
}

function hasRange<Read extends WaitingRead>(read: Read): read is Read & { range: NonNullable<WaitingRead['range']> } {
  return read.range !== undefined;
}
