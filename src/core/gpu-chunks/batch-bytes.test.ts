import { expect, test } from 'vitest';
import { batchBytesAfter, firstBatchBytes, leastBatchBytes, mostBatchBytes } from './batch-bytes.ts';

test('batches grow on a fast GPU and shrink on a slow one, within limits', () => {
  expect(batchBytesAfter(firstBatchBytes, 8)).toBe(mostBatchBytes);
  expect(batchBytesAfter(mostBatchBytes, 8)).toBe(mostBatchBytes);
  expect(batchBytesAfter(firstBatchBytes, 100)).toBe(firstBatchBytes);
  expect(batchBytesAfter(firstBatchBytes, 900)).toBe(firstBatchBytes / 2);
  expect(batchBytesAfter(leastBatchBytes, 900)).toBe(leastBatchBytes);
});
