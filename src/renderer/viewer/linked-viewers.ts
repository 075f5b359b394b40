import { inRealOrder } from '../../core/shared/real-order.ts';
import type { VolumeInfo } from '../../core/shared/volume.ts';
import { hasChannels, sharedChannels } from './model/channel-group.ts';
import { inUnits } from './model/layer-place.ts';
import { baseId, type LayerStack, noLayers, withLayersOf } from './model/layers.ts';
import { type FittedScales, type LinkedVolume, samePlace, sameViewpoints, type Viewpoints } from './model/same-place.ts';
import type { ViewerSnapshot, ViewState } from './model/viewer-api.ts';
import { unitRatio } from './model/voxel-map.ts';

/** The part of a `Viewer` that linking needs. */
export interface Linkable {
  readonly snapshot: () => ViewerSnapshot;
  readonly subscribe: (listener: () => void) => () => void;
  readonly set: (change: Partial<ViewState>) => void;
  readonly views: {
    viewpoints(): Viewpoints;
    fittedScales(): FittedScales;
    setViewpoints(viewpoints: Viewpoints): void;
  };
  readonly loop: { onDrawn(listener: () => void): () => void };
}

export interface Links {
  /** Crosshair, time point, cameras and clip planes. */
  readonly views: boolean;
  /** Window, colours, opacity and projection. */
  readonly values: boolean;
  /** Whether the second viewer draws the first one's layers over its own volume. */
  readonly layers: boolean;
}

/** Converts a stored value of one volume to the stored value of another with the same meaning. */
export function sameValue(from: VolumeInfo, to: VolumeInfo, stored: number): number {
  if (from.slope === to.slope && from.intercept === to.intercept) return stored;
  const slope = to.slope === 0 ? 1 : to.slope;
  return (from.slope * stored + from.intercept - to.intercept) / slope;
}

/** Whether two windows cover about the same physical values: each covers at least half of their union. */
export function areAlike(
  from: VolumeInfo,
  to: VolumeInfo,
  fromRange: readonly [number, number],
  toRange: readonly [number, number],
): boolean {
  const ends = (values: readonly number[]) => [Math.min(...values), Math.max(...values)] as const;
  const [low, high] = ends(fromRange.map((value) => sameValue(from, to, value)));
  const [toLow, toHigh] = ends(toRange);
  const shared = Math.min(high, toHigh) - Math.max(low, toLow);
  return 2 * shared >= Math.max(high, toHigh) - Math.min(low, toLow);
}

/** The keys that decide how values look. The other keys concern viewpoints. */
const valueKeys: readonly string[] = [
  'window',
  'level',
  'colormap',
  'opacity',
  'projection',
  'attenuation',
  'lighting',
  'inverted',
  'outside',
  'missing',
];

/** The changed `keys` of a state, converted for another viewer. */
export function followed(
  from: VolumeInfo,
  to: VolumeInfo,
  state: ViewState,
  keys: readonly (keyof ViewState)[],
  links: Links,
  own: LayerStack = noLayers,
): Partial<ViewState> {
  const change: Record<string, unknown> = {};
  for (const key of keys) {
    if (key === 'layers') {
      change.layers = followedLayers(from, to, state.layers, links, own);
      continue;
    }
    const isValue = valueKeys.includes(key);
    if (isValue ? !links.values : !links.views) continue;
    change[key] = state[key];
  }
  if ('crosshair' in change) change.crosshair = samePlace(from, to, state.crosshair);
  if ('window' in change) {
    const [low, high] = state.window.map((value) => sameValue(from, to, value)) as [number, number];
    change.window = inRealOrder([low, high], to);
  }
  if ('level' in change) change.level = sameValue(from, to, state.level);
  return change;
}

function followedLayers(from: VolumeInfo, to: VolumeInfo, stack: LayerStack, links: Links, own: LayerStack): LayerStack {
  const areChannelsLinked = links.values && hasChannels(from);
  const channels = areChannelsLinked ? sharedChannels(from, to, stack, own) : own;
  if (links.layers) return withLayersOf(inUnits(stack, unitRatio(from, to)), channels);
  const solo = areChannelsLinked && stack.solo === baseId ? baseId : undefined;
  return withLayersOf({ ...noLayers, solo }, channels);
}

const nothing: Links = { views: false, values: false, layers: false };

/** Makes two viewers follow each other. The second one adopts everything linked from the first at once. Call `end` to stop. */
export class LinkedViewers {
  readonly #sides: readonly [Side, Side];
  #links: Links;
  /** True while neither viewer follows the other, whatever the links. */
  #isPaused = false;
  /** True while a change is copied to the other viewer, so that its effects are not copied back. */
  #isCarrying = false;

  constructor(first: Linkable, second: Linkable, links: Links) {
    this.#links = links;
    const sideOf = (viewer: Linkable, other: () => Side): Side => ({
      viewer,
      state: viewer.snapshot().state,
      viewpoints: viewer.views.viewpoints(),
      scales: viewer.views.fittedScales(),
      ends: [
        viewer.subscribe(() => this.#onState(this.#side(viewer), other())),
        viewer.loop.onDrawn(() => this.#onDrawn(this.#side(viewer), other())),
      ],
    });
    this.#sides = [sideOf(first, () => this.#sides[1]), sideOf(second, () => this.#sides[0])];
    this.#align();
  }

  get links(): Links {
    return this.#links;
  }

  set links(links: Links) {
    this.#links = links;
    this.#align();
  }

  /**
   * Runs `work` while neither viewer follows the other. Afterwards the second one adopts everything linked, also by links that
   * were set meanwhile, even if the work fails.
   */
  async pauseFor(work: () => Promise<void>): Promise<void> {
    this.#isPaused = true;
    this.#align();
    try {
      await work();
    } finally {
      this.#isPaused = false;
      // Once they were parted, a viewer may have been disposed of.
      if (this.#links !== nothing) this.#align();
    }
  }

  end(): void {
    this.#links = nothing;
    for (const side of this.#sides) for (const end of side.ends) end();
  }

  get #active(): Links {
    return this.#isPaused ? nothing : this.#links;
  }

  #side(viewer: Linkable): Side {
    return this.#sides[0].viewer === viewer ? this.#sides[0] : this.#sides[1];
  }

  /** Makes the second viewer adopt everything linked. */
  #align(): void {
    const [first, second] = this.#sides;
    this.#carry(first, second, Object.keys(first.viewer.snapshot().state) as (keyof ViewState)[]);
    this.#carryViewpoints(first, second);
  }

  #onState(side: Side, other: Side): void {
    const { state } = side.viewer.snapshot();
    if (this.#isCarrying || state === side.state) return;
    const changed = (Object.keys(state) as (keyof ViewState)[]).filter((key) => state[key] !== side.state[key]);
    // The list of layers is the first viewer's.
    const keys = side === this.#sides[0] ? changed : changed.filter((key) => key !== 'layers');
    this.#carry(side, other, keys);
  }

  #onDrawn(side: Side, other: Side): void {
    if (!this.#active.views) return;
    const viewpoints = side.viewer.views.viewpoints();
    const isSameSize = JSON.stringify(side.viewer.views.fittedScales()) === JSON.stringify(side.scales);
    if (isSameSize && JSON.stringify(viewpoints) === JSON.stringify(side.viewpoints)) return;
    // A view that has just become visible, or was resized, follows the first viewer instead.
    if (isSameSize && Object.keys(viewpoints).join() === Object.keys(side.viewpoints).join()) this.#carryViewpoints(side, other);
    else this.#carryViewpoints(...this.#sides);
  }

  #carry(side: Side, other: Side, keys: readonly (keyof ViewState)[]): void {
    const from = side.viewer.snapshot();
    const to = other.viewer.snapshot();
    side.state = from.state;
    if (!from.info || !to.info) return;
    this.#isCarrying = true;
    try {
      other.viewer.set(followed(from.info, to.info, from.state, keys, this.#active, to.state.layers));
    } finally {
      this.#isCarrying = false;
      other.state = other.viewer.snapshot().state;
    }
  }

  #carryViewpoints(side: Side, other: Side): void {
    side.viewpoints = side.viewer.views.viewpoints();
    for (const each of [side, other]) each.scales = each.viewer.views.fittedScales();
    const [from, to] = [linkedVolume(side), linkedVolume(other)];
    if (!from || !to || !this.#active.views) return;
    other.viewer.views.setViewpoints(sameViewpoints(from, to, side.viewpoints));
    other.viewpoints = other.viewer.views.viewpoints();
  }
}

interface Side {
  readonly viewer: Linkable;
  readonly ends: readonly (() => void)[];
  /** The state that was last copied. */
  state: ViewState;
  viewpoints: Viewpoints;
  scales: FittedScales;
}

function linkedVolume({ viewer, scales }: Side): LinkedVolume | undefined {
  const { info, state } = viewer.snapshot();
  return info && { info, scales, camera: state.camera };
}
