import { basename } from 'node:path';
import type { Gpu } from '../../core/gpu/gpu.ts';
import type { OpenVolume } from '../../core/io/common/volume-reader.ts';
import { readLabelTable } from '../../core/io/label-tables/read-label-table.ts';
import { ownLabels } from '../../core/io/own-labels.ts';
import type { NamedMesh } from '../../core/mesh/mesh-formats.ts';
import {
  type ExtractedSurface,
  extractSurfaces,
  finishSurface,
  type SurfaceChoice,
  type SurfaceSettings,
  surfaceName,
} from '../../core/mesh/surfaces.ts';
import { writeMesh } from '../../core/mesh/write/write-mesh.ts';
import { StriaError } from '../../core/shared/errors.ts';
import type { JobOptions } from '../../core/shared/job.ts';
import type { LabelTable } from '../../core/shared/label-table.ts';
import { shownPath } from '../../core/shared/standard-streams.ts';
import { metresOf } from '../../core/shared/volume.ts';
import type { MeshCommand } from '../arguments/parsed-command.ts';
import { deviceNote, openBackend } from '../devices/device.ts';
import { checkTarget, createNodeSink } from '../outputs/node-sink.ts';
import { localName } from '../outputs/output-names.ts';
import { offerLeftovers } from '../outputs/partial-files.ts';
import { timeIndex } from '../pictures/look.ts';
import type { CommandContext } from '../terminal/context.ts';
import { type ExitCode, exitCodes } from '../terminal/messages.ts';
import { formatBytes, formatCount, formatDuration } from '../terminal/text.ts';
import { withFile, withSink } from './files.ts';
import { withVolume } from './with-volume.ts';

/** `stria mesh`: writes surfaces of a volume as triangles. */
export async function runMesh(command: MeshCommand, { terminal, signal }: CommandContext): Promise<ExitCode> {
  const { input, output, format, surfaces, table, smoothing, raw, dataset, axes } = command;
  await offerLeftovers([output], [input], terminal, signal);
  const startMs = performance.now();
  const { backend, gpu, close } = await openBackend(command);
  try {
    terminal.note(deviceNote(backend.device));
    const given = table === undefined ? undefined : await withFile(table, { signal }, (file) => readLabelTable(file, { signal }));
    const name = basename(shownPath(localName(input), 'input'));
    const { meshes, metres } = await terminal.withProgress(name, signal, (job) =>
      withVolume(input, { raw, dataset, axes }, backend, job, async (volume) => {
        const t = timeIndex(command, volume.info) ?? 0;
        const found = await extracted(gpu, volume, { surfaces, t, smoothing }, job);
        const names = given ?? volume.labels?.table ?? ownLabels(await volume.source()).table;
        return {
          meshes: found.map((surface) => ({ choice: surface.choice, ...named(surface, names) })),
          metres: metresOf[volume.info.spatialUnit],
        };
      }),
    );
    const holdsOne = format === 'stl' || format === 'ply';
    const areApart = holdsOne && (surfaces === 'labels' || surfaces.length > 1);
    const rows = meshes.map(({ name: surface, choice, mesh }) => ({
      surface,
      vertices: mesh.positions.length / 3,
      triangles: mesh.triangles.length / 3,
      ...(areApart && mesh.triangles.length > 0 && { file: nameOfPart(output, choice) }),
    }));
    const empty = rows.filter(({ triangles }) => triangles === 0);
    if (empty.length === rows.length) {
      const what = empty.map(({ surface }) => surface).join(' or ');
      throw new StriaError('invalid-input', `no voxel has ${what === '' ? 'a label' : what}`);
    }
    for (const { surface } of empty) terminal.note(`no voxel has ${surface}`);
    const files: { readonly path: string; readonly meshes: readonly NamedMesh[] }[] = areApart
      ? meshes.flatMap((one) => (one.mesh.triangles.length > 0 ? [{ path: nameOfPart(output, one.choice), meshes: [one] }] : []))
      : [{ path: output, meshes }];
    // The user did not name the files of single labels.
    const overwrite = command.force || !areApart;
    for (const { path } of files) await checkTarget(path, { overwrite, inputs: [input] });
    let bytes = 0;
    for (const file of files) {
      const sink = await createNodeSink(file.path, { overwrite, force: command.force, inputs: [input], signal });
      bytes += await withSink(sink, () => writeMesh(sink, format, file.meshes, metres));
    }
    const ms = performance.now() - startMs;
    const written = areApart ? { outputs: files.map(({ path }) => path) } : { output };
    terminal.result({ command: 'mesh', input, ...written, bytes, surfaces: rows, timesMs: { total: ms } });
    const triangles = rows.reduce((sum, row) => sum + row.triangles, 0);
    terminal.say(
      `${name} → ${areApart ? `${formatCount(files.length)} files` : shownPath(output, 'output')}  ${formatCount(triangles)} triangles  ${formatBytes(bytes)}  in ${formatDuration(ms)}`,
    );
    return exitCodes.ok;
  } finally {
    await close();
  }
}

/** Uses the GPU if there is a suitable one. */
async function extracted(
  gpu: Gpu | undefined,
  volume: OpenVolume,
  settings: SurfaceSettings,
  job: JobOptions,
): Promise<readonly ExtractedSurface[]> {
  if (gpu) {
    // Loaded only when needed, like the GPU itself.
    const { extractOnGpu } = await import('../../core/mesh/gpu/gpu-surfaces.ts');
    const { uploadedPlanes } = await import('../../core/mesh/gpu/uploaded-planes.ts');
    const planes = uploadedPlanes(gpu, volume, settings.t, job.signal);
    const found = planes && (await extractOnGpu(gpu, planes, settings, job));
    if (found) return found.map((surface) => finishSurface(surface, volume.info, settings.smoothing));
  }
  return extractSurfaces(volume, settings, job);
}

function named({ choice, mesh }: ExtractedSurface, table: LabelTable = []): NamedMesh {
  if ('level' in choice) return { mesh, name: surfaceName(choice) };
  const entry = table.find(({ number }) => number === choice.label);
  return { mesh, name: entry?.name ?? surfaceName(choice), color: entry?.color === undefined ? undefined : rgbOf(entry.color) };
}

/** `brain.stl` becomes `brain-17.stl` for the label 17. */
function nameOfPart(output: string, choice: SurfaceChoice): string {
  const end = output.lastIndexOf('.');
  return `${output.slice(0, end)}-${'label' in choice ? choice.label : choice.level}${output.slice(end)}`;
}

/** Red, green and blue of `#rrggbb`, each from 0 to 1. */
function rgbOf(color: string): [number, number, number] {
  const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16) / 255);
  return [red as number, green as number, blue as number];
}
