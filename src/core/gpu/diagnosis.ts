/** What this machine offers of WebGPU and what it lacks, for users and bug reports. */
export interface GpuDiagnosis {
  readonly state: 'ready' | 'no-webgpu' | 'no-adapter' | 'limit-too-small' | 'device-lost';
  /** The adapter runs on the CPU (SwiftShader, lavapipe, WARP): correct but slow. */
  readonly software: boolean;
  readonly adapter: AdapterDescription | undefined;
  readonly limits: Readonly<Record<LimitName, number>> | undefined;
  readonly features: readonly string[];
  /** Optional features that this adapter lacks. */
  readonly missingFeatures: readonly string[];
  /** The limits that are too small, and what is needed. */
  readonly tooSmall: readonly { readonly limit: LimitName; readonly needed: number; readonly available: number }[];
  /** What happened and what to do, in a sentence or two. */
  readonly advice: string;
}

export interface AdapterDescription {
  readonly vendor: string;
  readonly architecture: string;
  readonly device: string;
  readonly description: string;
}

/** The limits that Stria requests at the adapter's maximum. */
export const limitNames = [
  'maxBufferSize',
  'maxStorageBufferBindingSize',
  'maxStorageBuffersPerShaderStage',
  'maxComputeInvocationsPerWorkgroup',
  'maxComputeWorkgroupSizeX',
  'maxComputeWorkgroupStorageSize',
  'maxComputeWorkgroupsPerDimension',
  'maxTextureDimension2D',
  'maxTextureDimension3D',
] as const;
export type LimitName = (typeof limitNames)[number];

/** WebGPU's defaults, which every device has. `openGpu({ limits: 'default' })` requests these. */
export const defaultLimits: Readonly<Record<LimitName, number>> = {
  maxBufferSize: 268435456,
  maxStorageBufferBindingSize: 134217728,
  maxStorageBuffersPerShaderStage: 8,
  maxComputeInvocationsPerWorkgroup: 256,
  maxComputeWorkgroupSizeX: 256,
  maxComputeWorkgroupStorageSize: 16384,
  maxComputeWorkgroupsPerDimension: 65535,
  maxTextureDimension2D: 8192,
  maxTextureDimension3D: 2048,
};

/** Optional features that Stria uses if the adapter has them. */
export const wantedFeatures: readonly GPUFeatureName[] = [
  'timestamp-query',
  'subgroups',
  'float32-filterable',
  'shader-f16',
  'texture-formats-tier1',
];

/** Names of software adapters. */
const softwareNames = /swiftshader|llvmpipe|lavapipe|microsoft basic render|warp/i;

export function isSoftware(info: GPUAdapterInfo): boolean {
  return info.isFallbackAdapter || softwareNames.test(`${info.vendor} ${info.architecture} ${info.device} ${info.description}`);
}

export const advice = {
  'no-webgpu':
    'This program was given no WebGPU. In a browser, use a current Chrome, Edge or Safari; on the command line, run `npm ci` so that the webgpu package is there.',
  'no-adapter':
    'WebGPU is there, but it found no graphics adapter. Update the graphics driver; on Linux install a Vulkan driver (mesa-vulkan-drivers or NVIDIA 535 or newer), or restart Stria in compatibility mode.',
  software: 'The adapter is software and runs on the CPU: results are right, but slow. Install a graphics driver for speed.',
  'limit-too-small': 'This graphics adapter is too small for the work.',
  'device-lost':
    'The graphics device was lost. Stria requests a new one and restores the view. A result of Compress that was not in host memory yet is lost: compress again.',
  ready: 'The GPU is ready.',
} as const;
