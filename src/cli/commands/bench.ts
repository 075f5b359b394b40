import { benchCodecs, type CodecBenchResult } from '../../../bench/codecs.ts';
import type { Spread } from '../../../bench/statistics.ts';
import { sampleKinds } from '../../core/engine/samples/sample.ts';
import { StriaError } from '../../core/shared/errors.ts';
import type { BenchCommand } from '../args.ts';
import type { CommandContext } from '../context.ts';
import { findGpu } from '../device.ts';
import { type ExitCode, exitCodes } from '../messages.ts';
import { releaseNodeGpu } from '../node-gpu.ts';
import { createNodeSink } from '../node-sink.ts';
import { formatCount, table } from '../text.ts';
import { version } from '../version.ts';

const repetitions = 15;

/** `stria bench`: times codec kernels; see bench/codecs.ts for what is measured. */
export async function runBench(command: BenchCommand, { terminal, signal }: CommandContext): Promise<ExitCode> {
  const { device, gpuLimits, size, type, codecs, output } = command;
  const gpu = device === 'cpu' ? undefined : await findGpu(device, gpuLimits);
  if (!gpu) {
    throw new StriaError(
      'no-adapter',
      'the bench times kernels on a GPU, and there is no hardware GPU here; --device gpu takes a software one',
    );
  }
  try {
    terminal.note(`on GPU: ${gpu.name}`);
    const request = {
      samples: sampleKinds,
      codecs,
      axes: ['x', 'y', 'z'] as const,
      chunkShapes: [[64, 64, 64]] as const,
      size,
      type,
      repetitions,
    };
    const cases = await benchCodecs(gpu, request, {
      signal,
      onProgress: ({ stage }) => terminal.note(`  ${stage}`),
    });
    const result = {
      stria: version,
      node: process.version,
      date: new Date().toISOString(),
      adapter: gpu.diagnosis.adapter,
      ...cases,
    };
    terminal.result(result);
    terminal.say(benchTable(result));
    if (output !== undefined) {
      const sink = await createNodeSink(output, { overwrite: true, inputs: [] });
      await sink.write(new TextEncoder().encode(`${JSON.stringify(result, null, 1)}\n`));
      await sink.close();
    }
    return exitCodes.ok;
  } finally {
    gpu.destroy();
    releaseNodeGpu();
  }
}

function benchTable({ device, size, type, copyMs, cases }: CodecBenchResult): string {
  const rows = cases.map(
    ({ sample, codec, axis, encodedBytes, rawChunks, encodeMs, decodeMs, encodeTimesCopy, decodeTimesCopy }) => [
      sample,
      codec,
      axis ?? '',
      formatCount(encodedBytes),
      formatCount(rawChunks),
      milliseconds(encodeMs),
      multiple(encodeTimesCopy),
      milliseconds(decodeMs),
      multiple(decodeTimesCopy),
    ],
  );
  const head = ['sample', 'codec', 'axis', 'payload bytes', 'raw chunks', 'encode ms', '× copy', 'decode ms', '× copy'];
  return [
    `${device}: ${size} × ${size} × ${size} ${type}; a copy of it takes ${milliseconds(copyMs)} ms`,
    table([head, ...rows], ['left', 'left', 'left', 'right', 'right', 'right', 'right', 'right', 'right']),
  ].join('\n');
}

function milliseconds(spread: Spread | undefined): string {
  return spread ? spread.median.toFixed(4) : '';
}

function multiple(ratio: number | undefined): string {
  return ratio === undefined ? '' : ratio.toFixed(2);
}
