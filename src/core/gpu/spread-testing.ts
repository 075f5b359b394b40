import { afterEach, beforeEach } from 'vitest';
import type { Gpu } from './gpu.ts';

/** In the present `describe`: dispatches of few workgroups along each dimension, so that small volumes need what large ones do. For tests alone. */
export function spreadDispatches(gpu: Gpu): void {
  const { workgroupsPerDimension } = gpu;
  beforeEach(() => {
    gpu.workgroupsPerDimension = 5;
  });
  afterEach(() => {
    gpu.workgroupsPerDimension = workgroupsPerDimension;
  });
}
