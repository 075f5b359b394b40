const ending = new Set<GPUDevice>();

/**
 * Keeps a device that was lost or destroyed until its queue has ended all work.
 *
 * A submit that is not done yet holds the queue. If the device has been collected by then, Chromium 156 frees the queue in the middle of
 * handling the end of that submit. To tell the GPU process, it takes a lock that it already holds, and the page hangs for good.
 */
export function keepUntilDone(device: GPUDevice): void {
  ending.add(device);
  const forget = (): void => {
    ending.delete(device);
  };
  device.queue.onSubmittedWorkDone().then(forget, forget);
}
