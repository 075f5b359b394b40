// Asks for a graphics adapter, in a process of its own: what native code writes to its stderr stays out of the person's terminal, and
// a driver that crashes ends this process alone. The build makes it out/main/gpu-probe.js; probe-gpu.ts runs it.
import { create } from 'webgpu';

let entry: GPU | undefined = create([]);
const adapter = await entry.requestAdapter({ powerPreference: 'high-performance' });
// Dawn keeps the process alive while it is held.
entry = undefined;
process.stdout.write(adapter ? 'found' : 'none');
