import type { Backend } from '../../core/chunks/backend.ts';
import type { Gpu } from '../../core/gpu/gpu.ts';
import { ownLabels } from '../../core/io/own-labels.ts';
import type { JobOptions } from '../../core/shared/job.ts';
import type { OwnLabels } from '../../core/shared/label-table.ts';
import type { VolumeInfo } from '../../core/shared/volume.ts';
import type { ResidentVolume } from '../../core/volume/resident/resident-volume.ts';
import { baseId } from '../../renderer/viewer/model/layers.ts';
import type { Viewpoints } from '../../renderer/viewer/model/same-place.ts';
import type { ViewState } from '../../renderer/viewer/model/viewer-api.ts';
import type { DeviceOptions, PictureCommand } from '../arguments/parsed-command.ts';
import { deviceNote, openBackend } from '../devices/device.ts';
import { closeGpu, drawingGpu, gpuBackend } from '../devices/gpu-device.ts';
import type { OpenedBackend } from '../devices/opened-backend.ts';
import { loadOnGpu } from '../pictures/gpu-volume.ts';
import { firstShown, type PictureLook, type ShownView, stateOf } from '../pictures/look.ts';
import { Painter } from '../pictures/painter.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { PictureMeshes } from './picture-meshes.ts';
import { layerNote, savedView, savedViewName, sessionOf, withSessionSource } from './picture-session.ts';
import { type PictureSession, SessionHosts } from './session-places.ts';
import { type VolumeWork, withVolume } from './with-volume.ts';

/** A volume that is ready to be drawn. */
export interface DrawnScene {
  readonly painter: Painter;
  readonly info: VolumeInfo;
  readonly view: ShownView;
  readonly state: ViewState;
  /** The cameras of a session. */
  readonly viewpoints: Viewpoints | undefined;
  /** The files that were read. No output may replace them. */
  readonly inputs: readonly string[];
}

type SceneOptions = Pick<PictureCommand, 'input' | 'session' | 'raw' | 'dataset' | 'axes'> & DeviceOptions;

/** Opens a GPU, loads the input and the session's layers, and runs the work. Everything is freed afterwards. @throws StriaError */
export async function withPictureScene<T>(
  options: SceneOptions,
  look: PictureLook,
  terminal: Terminal,
  job: JobOptions,
  work: (scene: DrawnScene) => Promise<T>,
): Promise<T> {
  const session = await sessionOf(options, job);
  const hosts = session && (await askForHosts(session, options, terminal, job));
  const { gpu, backend, close } = await openDrawing(options);
  const decoding = { backend, threads: options.threads };
  const volumes: ResidentVolume[] = [];
  const labelsIn = new Map<ResidentVolume, OwnLabels>();
  const inputs = session ? [options.input, session.path] : [options.input];
  const meshes = new PictureMeshes(session, terminal);
  const loadAs =
    (id: string): VolumeWork<ResidentVolume> =>
    async (open, paths, coarser) => {
      const { resident: volume, note } = await loadOnGpu(gpu, open, coarser, job);
      if (id === baseId && note !== undefined) terminal.note(note);
      volumes.push(volume);
      labelsIn.set(volume, open.labels ?? ownLabels(await open.source()));
      await meshes.extract(id, open, job);
      inputs.push(...paths());
      return volume;
    };
  try {
    terminal.note(deviceNote({ kind: 'gpu', name: gpu.name, software: gpu.isSoftware }));
    const volume = await loadInput(options, session, hosts, backend, job, loadAs(baseId));
    const { info } = volume;
    const layers = new Map<string, ResidentVolume>();
    for (const { source, look: layer } of session?.saved.layers.list ?? []) {
      if (!session || !hosts) break;
      if (!source) continue;
      try {
        layers.set(layer.id, await withSessionSource(session, source, hosts, decoding, job, loadAs(layer.id)));
      } catch (error) {
        terminal.note(layerNote(session, layer.name, error));
      }
    }
    if (hosts) await meshes.upload(gpu, info, hosts, job, inputs);
    // Statistics tell which values of a layer mark missing data.
    for (const each of layers.values()) await each.statistics();
    const saved = session && ((first: ViewState) => savedView(session, first, new Set(layers.keys()), meshes.looks));
    const state = stateOf(look, info, await volume.statistics(), saved, labelsIn.get(volume));
    const view = look.view ?? (session && savedViewName(session)) ?? firstShown(info);
    const own = new Map([[baseId, volume] as const, ...layers].map(([id, each]) => [id, labelsIn.get(each)?.table ?? []]));
    const painter = new Painter(gpu, volume, { layers, meshes: meshes.meshes }, look, {
      loaded: session?.saved.layers.tables ?? {},
      own,
    });
    try {
      return await work({ painter, info, view, state, viewpoints: session?.saved.viewpoints, inputs });
    } finally {
      painter.destroy();
    }
  } finally {
    meshes.destroy();
    for (const volume of volumes) volume.destroy();
    await close();
  }
}

/** Whether the session's own volume is drawn, rather than another one in its view. */
function isOwnVolume({ path }: PictureSession, input: string): boolean {
  return path === input;
}

function askForHosts(
  session: PictureSession,
  { input }: SceneOptions,
  terminal: Terminal,
  job: JobOptions,
): Promise<SessionHosts> {
  const { source, layers } = session.saved;
  const layerSources = [...layers.list.flatMap((layer) => layer.source ?? []), ...layers.meshFiles.map((mesh) => mesh.source)];
  const sources = isOwnVolume(session, input) ? [source, ...layerSources] : layerSources;
  const { signal = new AbortController().signal } = job;
  return SessionHosts.ask(session, sources, [input, session.path], terminal, signal);
}

function loadInput(
  { input, raw, dataset, axes, threads }: SceneOptions,
  session: PictureSession | undefined,
  hosts: SessionHosts | undefined,
  backend: Backend,
  job: JobOptions,
  load: VolumeWork<ResidentVolume>,
): Promise<ResidentVolume> {
  if (session && hosts && isOwnVolume(session, input)) {
    return withSessionSource(session, session.saved.source, hosts, { backend, threads }, job, load);
  }
  return withVolume(input, { raw, dataset, axes, threads }, backend, job, load);
}

/** The GPU that draws and the backend that decodes: the same GPU, or the CPU if the GPU is software. */
async function openDrawing(options: DeviceOptions): Promise<OpenedBackend & { readonly gpu: Gpu }> {
  const gpu = await drawingGpu(options);
  if (!gpu.isSoftware) return gpuBackend(gpu);
  const { backend, close } = await openBackend({ ...options, device: 'cpu' });
  return {
    gpu,
    backend,
    close: async () => {
      await close();
      await closeGpu(gpu);
    },
  };
}
