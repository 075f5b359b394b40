// A codec that decodes slowly is fastest if it decodes many chunks at once, but no submit may hold a slow GPU for long. So the first
// batch on a device is small, and while batches are short they grow.

export const leastBatchBytes = 2 ** 22;
export const firstBatchBytes = 2 ** 24;
export const mostBatchBytes = 2 ** 27;

/**
 * The bytes of voxels of the batch after one of `bytes`.
 * @param wallMs what that one took
 */
export function batchBytesAfter(bytes: number, wallMs: number): number {
  if (wallMs < 50) return Math.min(mostBatchBytes, 8 * bytes);
  if (wallMs > 200) return Math.max(leastBatchBytes, bytes / 2);
  return bytes;
}
