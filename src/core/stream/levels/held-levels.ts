import type { Backend, HalvedPart, HeldBox } from '../../chunks/backend.ts';
import { rowBytes } from '../../codec/codec.ts';
import { type ChunkGrid, codecElementBytes } from '../../format/chunk-grid.ts';
import type { PlannedHalving } from '../../levels/level-plan.ts';
import { type PlannedRun, plannedRuns } from '../../levels/level-run.ts';
import type { Dims3, ElementType } from '../../shared/volume.ts';
import type { ReadBox } from '../box-reader.ts';
import { slabBytesFor } from '../pipeline.ts';
import { boxesOf, slabsOf } from '../slabs.ts';

/** A run of a level with all its voxels, in a backend's memory. */
export interface HeldRun extends PlannedRun {
  readonly box: HeldBox;
}

/** A run that waits for voxels. */
interface WaitingRun {
  readonly plan: PlannedRun;
  /** From when the first voxels come. */
  box: Promise<HeldBox> | undefined;
  /** How many rows have not been made yet. */
  rowsLeft: number;
}

/** A part of a run that a box is halved to. */
interface RunPart {
  readonly run: WaitingRun;
  readonly place: Omit<HalvedPart, 'to'>;
  /** How many rows of the run it fills. */
  readonly rows: number;
}

interface HeldHalving {
  readonly factors: Dims3;
  /** None if it is not stored. */
  readonly runs: readonly WaitingRun[];
}

/** The levels of a volume in the memory of a backend, which makes all of them from the volume's boxes and encodes them there. */
export class HeldLevels {
  readonly #grid: ChunkGrid;
  readonly #halvings: readonly HeldHalving[];
  readonly #open: (run: WaitingRun) => Promise<HeldBox>;
  #ready: HeldRun[] = [];

  /**
   * Undefined if the backend cannot hold the runs, or if boxes of the volume are narrower than its rows.
   * @param grid of the volume. Its boxes begin at multiples of all factors
   * @param boxBytes the largest box of the volume
   */
  static create(
    type: ElementType,
    grid: ChunkGrid,
    halvings: readonly PlannedHalving[],
    { hold, maxHeldBytes = 0 }: Backend,
    boxBytes: number,
  ): HeldLevels | undefined {
    if (!hold) return undefined;
    const elementBytes = codecElementBytes(type);
    // Cut as the volume is read: a layer of one plane may be several slabs, and a slab of one line may be narrower than the volume.
    const slabs = slabsOf(grid, elementBytes, slabBytesFor({ maxBoxBytes: boxBytes }), { first: 0, count: grid.chunksPerLayer });
    const boxes = [...slabs].flatMap((slab) => boxesOf(slab, elementBytes, boxBytes));
    if (boxes.some(({ dims }) => dims[0] < grid.dims[0])) return undefined;
    const runs = halvings.map((halving) =>
      halving.level === undefined ? [] : [...plannedRuns(type, grid, halving, halving.level)],
    );
    const bytesOf = ({ dims: [x, y, z] }: PlannedRun) => rowBytes(x, elementBytes) * y * z;
    if (runs.flat().some((run) => bytesOf(run) > maxHeldBytes)) return undefined;
    return new HeldLevels(grid, halvings, runs, ({ plan }) => hold({ dims: plan.dims, elementBytes }));
  }

  private constructor(
    grid: ChunkGrid,
    halvings: readonly PlannedHalving[],
    runs: readonly (readonly PlannedRun[])[],
    open: (run: WaitingRun) => Promise<HeldBox>,
  ) {
    this.#grid = grid;
    this.#halvings = halvings.map(({ factors }, index) => ({
      factors,
      runs: (runs[index] ?? []).map((plan) => ({ plan, box: undefined, rowsLeft: plan.dims[1] * plan.dims[2] })),
    }));
    this.#open = open;
  }

  /** Where the results of all halvings of a box go. @throws StriaError of the backend */
  partsOf(box: ReadBox): Promise<readonly (readonly HalvedPart[])[]> {
    return Promise.all(
      this.#halvings.map((halving) =>
        Promise.all(
          this.#partsOf(box, halving).map(async ({ run, place }): Promise<HalvedPart> => {
            run.box ??= this.#open(run);
            return { ...place, to: await run.box };
          }),
        ),
      ),
    );
  }

  /** A box has been halved. */
  async add(box: ReadBox): Promise<void> {
    for (const halving of this.#halvings) {
      for (const { run, rows } of this.#partsOf(box, halving)) {
        run.rowsLeft -= rows;
        if (run.rowsLeft > 0 || !run.box) continue;
        this.#ready.push({ ...run.plan, box: await run.box });
        run.box = undefined;
      }
    }
  }

  /** The runs that are complete, in the order in which they are written, up to `due`. The caller releases their boxes. */
  takeRuns(due: number): HeldRun[] {
    const ready = this.#ready.filter((run) => run.due <= due).sort((a, b) => a.due - b.due || a.level - b.level);
    this.#ready = this.#ready.filter((run) => run.due > due);
    return ready;
  }

  /** Releases the memory of all runs that were not taken. */
  async close(): Promise<void> {
    for (const { box } of this.#ready.splice(0)) box.release();
    for (const run of this.#halvings.flatMap(({ runs }) => runs)) {
      const box = await run.box?.catch(() => undefined);
      run.box = undefined;
      box?.release();
    }
  }

  #partsOf({ firstChunk, voxels: { dims } }: ReadBox, { factors, runs }: HeldHalving): RunPart[] {
    // A slab may be a part of a layer, so the box's place in its slab is not enough.
    const { plane, origin } = this.#grid.box(firstChunk);
    const first = plane / factors[2];
    const end = Math.ceil((plane + dims[2]) / factors[2]);
    const height = Math.ceil(dims[1] / factors[1]);
    return runs.flatMap((run) => {
      const { firstPlane, dims: lengths } = run.plan;
      const from = Math.max(first, firstPlane);
      const planes = Math.min(end, firstPlane + lengths[2]) - from;
      if (planes <= 0) return [];
      const place = { from: from - first, plane: from - firstPlane, planes, row: origin[1] / factors[1] };
      return [{ run, place, rows: planes * height }];
    });
  }
}
