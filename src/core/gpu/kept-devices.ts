const kept = new Set<GPUDevice>();

/**
 * Keeps a device from being collected for as long as the page lives, also after it was lost or destroyed.
 *
 * In Chromium 156 a submit holds its queue until the GPU is done. If the device has been collected by then, Chromium frees the queue
 * while it handles the end of the submit. To tell the GPU process, it may take a lock that it already holds, and the page hangs for
 * good. A job that notices a loss late may still submit, so there is no moment after which a lost device is safe to collect.
 */
export function keepDevice(device: GPUDevice): void {
  kept.add(device);
}
