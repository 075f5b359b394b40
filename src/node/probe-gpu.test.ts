import { expect, test } from 'vitest';
import { probeGpu, reasonsIn } from './probe-gpu.ts';

test('the reason for a skipped adapter is the first line of each warning, once', () => {
  const warning = [
    'Warning: Vulkan shaderUniform*ArrayDynamicIndexing required.',
    ' - While initializing adapter (backend=BackendType::Vulkan)',
    '    at InitializeImpl (/home/runner/third_party/dawn/src/dawn/native/vulkan/PhysicalDeviceVk.cpp:257)',
    '',
  ].join('\n');
  const loader =
    'Error: Loader Message: no GPUs\nWarning: loader_get_json: Failed\nWarning: vkEnumeratePhysicalDevices\n    at Gather (VulkanInfo.cpp:147)\n';
  expect(reasonsIn(warning + loader + warning)).toEqual(['Vulkan shaderUniform*ArrayDynamicIndexing required']);
  expect(reasonsIn('')).toEqual([]);
});

test.runIf(process.platform === 'linux')('a driver that cannot be loaded counts as no adapter', async () => {
  expect(await probeGpu({ ...process.env, VK_ICD_FILENAMES: '/none.json', VK_DRIVER_FILES: '/none.json' })).toMatchObject({
    found: false,
  });
});
