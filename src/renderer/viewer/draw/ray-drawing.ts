import type { PagedChannel } from '../../../core/bricks/paged-uniform.ts';
import { UpdateTurns } from '../../../core/bricks/update-turns.ts';
import { RayPass, type Strip } from '../../../core/draw/ray-pass.ts';
import { RayStackPass } from '../../../core/draw/ray-stack.ts';
import type { Commands } from '../../../core/gpu/commands.ts';
import type { Gpu } from '../../../core/gpu/gpu.ts';
import type { GpuScope } from '../../../core/gpu/scope.ts';
import type { VolumeInfo } from '../../../core/shared/volume.ts';
import type { DisplayTexture } from '../../../core/volume/display-texture.ts';
import { colormap } from '../colors/colormaps.ts';
import { baseOpacity, layerTime } from '../model/layers.ts';
import type { LayerIn3d } from '../model/view-host.ts';
import type { ViewState } from '../model/viewer-api.ts';
import { BrickChannels, channelVariant, drawsChannels } from './brick-channels.ts';
import { BrickDrawing, type DrawnBricks } from './brick-drawing.ts';
import { BrickLayersDrawing } from './brick-layers-drawing.ts';
import type { BrickSpace } from './brick-space.ts';
import { MarchInputs, type RaySampling } from './march-inputs.ts';
import { isOneVolume } from './one-volume.ts';
import { baseIn3d, brickGrid, channelIn3d } from './ray-volumes.ts';
import { contentOf, hasBase, layerSpace, type Shown, standIns, variantOf } from './stand-in.ts';

/** Numbers the drawings, to distinguish their requests for bricks. */
let drawings = 0;

/** The camera, sampling and content of a strip. */
export interface RayMarch extends RaySampling {
  /** The volume's bricks, if the display texture holds less than its file. */
  readonly bricks?: BrickSpace | undefined;
  /**
   * If given, a kernel for several volumes is compiled beside frames that show less, and this is called once a frame would show everything.
   * Otherwise it is compiled when it is needed.
   */
  readonly onCompiled?: (() => void) | undefined;
  /** Whether this is a trial: until its frame is drawn, no bricks are decoded, whatever arrives meanwhile; default: false. */
  readonly isTrial?: boolean | undefined;
  /** Whether a trial has drawn the frame, which must show the same bricks, so that no others are decoded; default: false. */
  readonly isTried?: boolean | undefined;
}

/**
 * Marches the rays of a volume and its layers into a texture, strip by strip. three.js scenes and pictures without a scene show the
 * texture. A volume without layers is drawn by the shader for a single volume. Free the drawing with `destroy`.
 */
export class RayDrawing {
  readonly #gpu: Gpu;
  readonly #scope: GpuScope;
  readonly #info: VolumeInfo;
  readonly #display: DisplayTexture;
  readonly #pass: RayPass;
  readonly #stackPass: RayStackPass;
  readonly #inputs: MarchInputs;
  #picture: GPUTexture;
  #bricks: BrickDrawing | undefined;
  #channels: BrickChannels | undefined;
  readonly #layers: BrickLayersDrawing;
  readonly #turns = new UpdateTurns<BrickSpace>();
  /** Whether the current frame is drawn from bricks. */
  #isOfBricks = false;
  /** What the current frame draws of its layers. */
  #shown: Shown = 'all';
  /** The kernel that frames wait for. */
  #compiling: Promise<void> | undefined;
  #isDestroyed = false;

  constructor(gpu: Gpu, info: VolumeInfo, display: DisplayTexture) {
    this.#gpu = gpu;
    this.#info = info;
    this.#scope = gpu.scope('view.rays');
    this.#display = display;
    this.#pass = new RayPass(gpu);
    this.#stackPass = new RayStackPass(gpu);
    this.#picture = this.#pictureOf(1, 1);
    this.#layers = new BrickLayersDrawing(gpu, `layers ${++drawings}`);
    this.#inputs = new MarchInputs(gpu, info, this.#layers);
  }

  /** Whether the last frame was drawn from bricks, of the volume or of a layer. */
  get isOfBricks(): boolean {
    return this.#isOfBricks || this.#layers.isUsed;
  }

  /** Whether frames show less until a kernel has been compiled. */
  get isCompiling(): boolean {
    return this.#compiling !== undefined;
  }

  /** How many times larger than a pixel the voxels of the last frame may have been; 1 if it was not drawn from the volume's bricks. */
  get voxelPixels(): number {
    return this.#isOfBricks ? (this.#bricks?.voxelPixels ?? 1) : 1;
  }

  /**
   * The texture with the last strip in its upper left corner, premultiplied. It is as large as the largest strip so far, so `march`
   * may replace it.
   */
  get picture(): GPUTexture {
    return this.#picture;
  }

  /**
   * Submits the ray marching of a strip. Work submitted afterwards sees that strip. The texture does not change if nothing is visible.
   * @returns resolves when done with the rays' GPU time in milliseconds, without waiting time; undefined if unknown
   */
  march(state: ViewState, layers: readonly LayerIn3d[], march: RayMarch): Promise<number | undefined> {
    const meshes = march.meshes?.length ?? 0;
    if (meshes === 0) this.#inputs.withoutMeshes();
    // `Gpu.onLost` tells the device's owner about a loss.
    if (this.#gpu.isLost || (baseOpacity(state.layers) === 0 && layers.length + meshes === 0)) return Promise.resolve(undefined);
    this.#makeRoom(march.strip);
    if (march.strip.from === 0) this.#choose(state, layers, march);
    const drawn = contentOf(this.#shown, state, layers, march);
    const commands = this.#gpu.commands('view', this.#gpu.hasTimestamps ? () => {} : undefined);
    const took = this.#record(commands, drawn.state, drawn.layers, drawn.march, this.#picture);
    const submitted = commands.submit();
    took(submitted);
    return submitted.then(
      ({ stages }) => {
        // The last stage is that of the rays: meshes are rasterised before it. Timestamps are rounded (to 0.1 ms in some browsers), so 0
        // means unknown.
        const ms = stages.at(-1)?.gpuMs;
        return ms !== undefined && ms > 0 ? ms : undefined;
      },
      () => undefined,
    );
  }

  /** Loads the bricks of a picture. Resolves once all readable ones are loaded. @throws StriaError `aborted` */
  async load(state: ViewState, layers: readonly LayerIn3d[], march: RayMarch, signal: AbortSignal | undefined): Promise<void> {
    const frame = this.#brickFrame(state, layers, march);
    const bricks = this.#brickDrawing(frame, march);
    if (frame) await bricks?.load(frame, march.strip, signal);
    if (!layers.some((layer) => layerSpace(layer, march.layerBricks))) return;
    this.#isOfBricks = bricks !== undefined && frame !== undefined && bricks.isReady(frame.channels);
    const { restWidth = march.strip.width } = march;
    await this.#layers.load(march.strip, signal, (commands, target, strip) =>
      this.#record(commands, state, layers, { ...march, strip, restWidth }, target),
    );
  }

  destroy(): void {
    this.#isDestroyed = true;
    this.#bricks?.destroy();
    this.#channels?.destroy();
    this.#layers.destroy();
    this.#inputs.destroy();
    this.#scope.destroy();
  }

  /** Records a strip. @returns to be called with the submit of the commands */
  #record(
    commands: Commands,
    state: ViewState,
    layers: readonly LayerIn3d[],
    march: RayMarch,
    target: GPUTexture,
  ): (submitted: Promise<unknown>) => void {
    const { strip, meshes, labels } = march;
    let took: ((submitted: Promise<unknown>) => void) | undefined;
    const bricks = this.#isOfBricks ? this.#brickFrame(state, layers, march) : undefined;
    if (strip.from === 0 && !march.isTried) this.#decode(layers, march);
    if (bricks && this.#bricks && !this.#bricks.space.isClosed) took = this.#bricks.record(commands, bricks, target, strip);
    else if (isOneVolume(state, layers, meshes, labels)) this.#recordVolume(commands, state, march, target);
    else this.#recordStack(commands, state, layers, march, target);
    const tookLayers = this.#layers.end(commands, strip);
    return (submitted) => {
      took?.(submitted);
      tookLayers(submitted);
      if (march.isTrial) for (const space of this.#spacesOf(layers, march)) space.hold(submitted);
    };
  }

  /** Decodes bricks that have arrived for a frame. */
  #decode(layers: readonly LayerIn3d[], march: RayMarch): void {
    const own = this.#isOfBricks ? this.#bricks : undefined;
    this.#turns.run(this.#spacesOf(layers, march), (space) => (space === own?.space ? own.decode() : space.decode()));
  }

  /** The bricks that a frame is drawn from. */
  #spacesOf(layers: readonly LayerIn3d[], { layerBricks }: RayMarch): readonly BrickSpace[] {
    const own = this.#isOfBricks && !this.#bricks?.space.isClosed ? this.#bricks?.space : undefined;
    const ofLayers = layers.flatMap((layer) => layerSpace(layer, layerBricks) ?? []);
    return [...new Set([...(own ? [own] : []), ...ofLayers])];
  }

  /** Chooses what a frame draws: less than everything while the kernel for that is being compiled. */
  #choose(state: ViewState, layers: readonly LayerIn3d[], march: RayMarch): void {
    const { onCompiled } = march;
    this.#shown = 'all';
    this.#isOfBricks = this.#drawsBricks(state, layers, march);
    const isStack = !isOneVolume(state, layers, march.meshes, march.labels);
    if (this.#isOfBricks || !onCompiled || !isStack) {
      this.#compiling = undefined;
      return;
    }
    const frame = this.#brickFrame(state, layers, march);
    // While the kernel for bricks is compiled, that for textures is not worth compiling.
    const isAwaited = frame !== undefined && this.#bricks?.isCompiling(frame) === true;
    const variant = variantOf(this.#gpu, { state, layers, march }, false);
    const compiling = isAwaited ? undefined : this.#stackPass.compile(state.projection, variant);
    if (compiling && compiling !== this.#compiling) {
      void compiling.then(() => {
        // Frames that show nothing choose nothing.
        if (this.#compiling === compiling) this.#compiling = undefined;
        if (!this.#isDestroyed) onCompiled();
      });
    }
    this.#compiling = compiling;
    if (!compiling && !isAwaited) return;
    const standIn = standIns.find((each) => this.#canDraw(state, layers, march, each));
    this.#shown = standIn?.shown ?? 'all';
    this.#isOfBricks = standIn?.isBaseOfBricks === true;
  }

  /** Whether the kernel for less than everything has been compiled. */
  #canDraw(
    state: ViewState,
    layers: readonly LayerIn3d[],
    march: RayMarch,
    { shown, isBaseOfBricks }: (typeof standIns)[number],
  ): boolean {
    if (shown === 'none' && baseOpacity(state.layers) === 0) return false;
    const content = contentOf(shown, state, layers, march);
    if (!isBaseOfBricks) {
      if (isOneVolume(content.state, content.layers, content.march.meshes, content.march.labels)) return true;
      return this.#stackPass.has(state.projection, variantOf(this.#gpu, content, false));
    }
    // The bricks of one channel alone would replace those of all.
    if (drawsChannels(march.bricks, state, layers, march.meshes)) return false;
    const frame = this.#brickFrame(content.state, content.layers, content.march);
    return frame !== undefined && this.#bricks?.canDraw(frame) === true;
  }

  /** Whether a frame is drawn from bricks. If too few are loaded, requests them. */
  #drawsBricks(state: ViewState, layers: readonly LayerIn3d[], march: RayMarch): boolean {
    const frame = this.#brickFrame(state, layers, march);
    const bricks = this.#brickDrawing(frame, march);
    if (!bricks || !frame) return false;
    // `load` has waited for the kernel of a picture of several volumes, unless it has changed since.
    const mayWait = frame.variant === undefined || march.onCompiled !== undefined;
    if (mayWait && bricks.isCompiling(frame)) return false;
    if (bricks.isReady(frame.channels)) return true;
    void bricks.probe(frame, march.strip);
    return false;
  }

  /** The drawing of the volume's bricks; undefined if there are none, or a frame shows none. */
  #brickDrawing(frame: DrawnBricks | undefined, march: RayMarch): BrickDrawing | undefined {
    const space = march.bricks?.isClosed || !frame ? undefined : march.bricks;
    if (this.#bricks?.space !== space) {
      this.#bricks?.destroy();
      this.#bricks = space && new BrickDrawing(this.#gpu, space, `rays ${++drawings}`);
    }
    return this.#bricks;
  }

  /** The bricks that a frame shows: those of the volume, or of all channels. Undefined if they are hidden. */
  #brickFrame(state: ViewState, layers: readonly LayerIn3d[], march: RayMarch): DrawnBricks | undefined {
    if (drawsChannels(march.bricks, state, layers, march.meshes)) return this.#channelFrame(state, layers, march);
    this.#channels?.destroy();
    this.#channels = undefined;
    if (!march.bricks) return undefined;
    if (baseOpacity(state.layers) === 0) return undefined;
    const { view, restWidth = march.strip.width } = march;
    const grid = brickGrid(this.#info, this.#display);
    const isAlone = isOneVolume(state, layers, march.meshes, march.labels);
    const record: DrawnBricks['record'] = (rays, commands, target, strip) => {
      const there = { ...march, strip };
      if (isAlone) rays.record(commands, this.#inputs.ofVolume(state, grid, there), target, strip);
      else rays.recordStack(commands, this.#inputs.ofStack(commands, state, grid, layers, there), target, strip);
    };
    const variant = isAlone ? undefined : variantOf(this.#gpu, { state, layers, march }, true);
    return { channels: [channelOf(state, state.timePoint)], view, restWidth, projection: state.projection, variant, record };
  }

  #channelFrame(state: ViewState, layers: readonly LayerIn3d[], march: RayMarch): DrawnBricks | undefined {
    const { view, step, plane, isDraft, restWidth = march.strip.width } = march;
    const grid = brickGrid(this.#info, this.#display);
    const base = { volume: baseIn3d(state, grid), look: { look: state, display: grid } };
    const others = layers.map((layer) => ({
      volume: channelIn3d(state, layer, grid),
      look: { look: layer.look, display: grid },
    }));
    const timeOf = (channel: number): number => layerTime(this.#info, state.timePoint, this.#info, channel);
    const paged = layers.map(({ look }) => channelOf(look, timeOf(look.channel)));
    const isBaseShown = baseOpacity(state.layers) > 0;
    const [first, ...further] = isBaseShown ? [channelOf(state, state.timePoint), ...paged] : paged;
    if (!first) return undefined;
    const frame = { state, view, step, isDraft, plane, channels: isBaseShown ? [base, ...others] : others };
    const record: DrawnBricks['record'] = (rays, commands, target, strip) => {
      this.#channels ??= new BrickChannels(this.#gpu);
      this.#channels.record(rays, commands, frame, target, strip);
    };
    return { channels: [first, ...further], view, restWidth, projection: state.projection, variant: channelVariant, record };
  }

  #recordVolume(commands: Commands, state: ViewState, march: RayMarch, target: GPUTexture): void {
    const inputs = { ...this.#inputs.ofVolume(state, this.#display, march), display: this.#display };
    this.#pass.record(commands, inputs, target, march.strip);
  }

  #recordStack(commands: Commands, state: ViewState, layers: readonly LayerIn3d[], march: RayMarch, target: GPUTexture): void {
    const base = hasBase(state, layers) ? this.#display : undefined;
    const { displays, ...inputs } = this.#inputs.ofStack(commands, state, base, layers, march);
    const all = { ...inputs, displays: base ? [base, ...displays] : displays };
    this.#stackPass.record(commands, all, target, march.strip);
  }

  #makeRoom({ width, count }: Strip): void {
    const before = this.#picture;
    if (width <= before.width && count <= before.height) return;
    this.#scope.free(before);
    this.#picture = this.#pictureOf(Math.max(width, before.width), Math.max(count, before.height));
  }

  #pictureOf(width: number, height: number): GPUTexture {
    return this.#scope.texture('picture', 4 * width * height, {
      size: [width, height],
      format: 'rgba8unorm',
      usage: GPUTextureUsage.STORAGE_BINDING | GPUTextureUsage.TEXTURE_BINDING,
    });
  }
}

function channelOf({ colormap: name, window }: Pick<ViewState, 'colormap' | 'window'>, timePoint: number): PagedChannel {
  return { timePoint, window, isCategorical: colormap(name).isCategorical };
}
