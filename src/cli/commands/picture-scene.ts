import type { Backend } from '../../core/chunks/backend.ts';
import type { Gpu } from '../../core/gpu/gpu.ts';
import type { JobOptions } from '../../core/shared/job.ts';
import type { VolumeInfo } from '../../core/shared/volume.ts';
import type { ResidentVolume } from '../../core/volume/resident-volume.ts';
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
  /** The files that were read, which no output may replace. */
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
  const volumes: ResidentVolume[] = [];
  const inputs = session ? [options.input, session.path] : [options.input];
  const load: VolumeWork<ResidentVolume> = async (open, paths) => {
    const volume = await loadOnGpu(gpu, open, job);
    volumes.push(volume);
    inputs.push(...paths());
    return volume;
  };
  try {
    terminal.note(deviceNote({ kind: 'gpu', name: gpu.name, software: gpu.isSoftware }));
    const volume = await loadInput(options, session, hosts, backend, job, load);
    const { info, decimation } = volume;
    if (decimation > 1) {
      terminal.note(`the volume is too large for this GPU: drawn from one voxel in ${decimation} along each axis`);
    }
    const layers = new Map<string, ResidentVolume>();
    for (const { source, look: layer } of session?.saved.layers.list ?? []) {
      if (!session || !hosts) break;
      if (!source) continue;
      try {
        layers.set(layer.id, await withSessionSource(session, source, hosts, backend, job, load));
      } catch (error) {
        terminal.note(layerNote(session, layer.name, error));
      }
    }
    // Statistics tell which values of a layer mark missing data.
    for (const each of layers.values()) await each.statistics();
    const saved = session && ((first: ViewState) => savedView(session, first, new Set(layers.keys())));
    const state = stateOf(look, info, await volume.statistics(), saved);
    const view = look.view ?? (session && savedViewName(session)) ?? firstShown(info);
    const painter = new Painter(gpu, volume, layers, look, session?.saved.layers.tables);
    try {
      return await work({ painter, info, view, state, viewpoints: session?.saved.viewpoints, inputs });
    } finally {
      painter.destroy();
    }
  } finally {
    for (const volume of volumes) volume.destroy();
    await close();
  }
}

/** Whether the session's volume is drawn, not another one in its view. */
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
  const layerSources = layers.list.flatMap((layer) => layer.source ?? []);
  const sources = isOwnVolume(session, input) ? [source, ...layerSources] : layerSources;
  const { signal = new AbortController().signal } = job;
  return SessionHosts.ask(session, sources, [input, session.path], terminal, signal);
}

function loadInput(
  { input, raw, dataset, axes }: SceneOptions,
  session: PictureSession | undefined,
  hosts: SessionHosts | undefined,
  backend: Backend,
  job: JobOptions,
  load: VolumeWork<ResidentVolume>,
): Promise<ResidentVolume> {
  if (session && hosts && isOwnVolume(session, input)) {
    return withSessionSource(session, session.saved.source, hosts, backend, job, load);
  }
  return withVolume(input, { raw, dataset, axes }, backend, job, load);
}

/** The GPU that draws, and what decodes: that GPU, or the CPU if it is only software. */
async function openDrawing(options: DeviceOptions): Promise<OpenedBackend & { readonly gpu: Gpu }> {
  const gpu = await drawingGpu(options);
  if (!gpu.isSoftware) return gpuBackend(gpu);
  const { backend, close } = await openBackend({ ...options, device: 'cpu' });
  return {
    gpu,
    backend,
    close: async () => {
      await close();
      closeGpu(gpu);
    },
  };
}
