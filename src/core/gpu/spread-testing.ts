import { afterEach, beforeEach } from 'vitest';
import type { Gpu } from './gpu.ts';

/** In the current `describe`, allows few workgroups per dimension, so that small volumes spread dispatches as large ones do. */
export function spreadDispatches(gpu: Gpu): void {
  const { workgroupsPerDimension } = gpu;
  beforeEach(() => {
    gpu.workgroupsPerDimension = 5;
  });
  afterEach(() => {
    gpu.workgroupsPerDimension = workgroupsPerDimension;
  });
}
