const kept: GPUDevice[] = [];
const most = 8;

/**
 * Keeps the last eight devices that were lost or destroyed from being collected.
 *
 * A submit that is not done yet holds its queue. If the device has been collected by then, Chromium 156 frees the queue in the middle of
 * handling the end of that submit. To tell the GPU process, it takes a lock that it already holds, and the page hangs for good. A job that
 * notices the loss late may still submit, so waiting for the queue once is not enough.
 */
export function keepLost(device: GPUDevice): void {
  kept.push(device);
  if (kept.length > most) kept.shift();
}
