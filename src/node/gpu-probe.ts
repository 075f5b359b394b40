// Asks for a graphics adapter in a separate process. This keeps native output to stderr out of the user's terminal, and a
// driver that crashes ends only this process. The build makes it out/main/gpu-probe.js; probe-gpu.ts runs it.
import { create } from 'webgpu';

let entry: GPU | undefined = create([]);
const adapter = await entry.requestAdapter({ powerPreference: 'high-performance' });
// Dawn keeps the process alive while a reference to it exists.
entry = undefined;
process.stdout.write(adapter ? 'found' : 'none');
