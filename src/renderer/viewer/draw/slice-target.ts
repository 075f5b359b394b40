import type { Commands } from '../../../core/gpu/commands.ts';

/** Draws into a target, in as few render passes as possible. The first pass clears it. */
export class SliceTarget {
  readonly #commands: Commands;
  readonly #view: GPUTextureView;
  readonly #clearValue: GPUColorDict;
  #loadOp: GPULoadOp = 'clear';
  #waiting: ((pass: GPURenderPassEncoder) => void)[] = [];

  constructor(commands: Commands, target: GPUTexture, clearValue: GPUColorDict) {
    this.#commands = commands;
    this.#view = target.createView();
    this.#clearValue = clearValue;
  }

  /** @param isAtOnce whether the next recorded work will overwrite what `draw` reads, so that its pass must be recorded at once */
  add(draw: (pass: GPURenderPassEncoder) => void, isAtOnce = false): void {
    this.#waiting.push(draw);
    if (isAtOnce) this.#render();
  }

  end(): void {
    if (this.#waiting.length > 0 || this.#loadOp === 'clear') this.#render();
  }

  #render(): void {
    const draws = this.#waiting;
    this.#waiting = [];
    const attachment = { view: this.#view, clearValue: this.#clearValue, loadOp: this.#loadOp, storeOp: 'store' as const };
    this.#commands.render('slice', { colorAttachments: [attachment] }, (pass) => {
      for (const draw of draws) draw(pass);
    });
    this.#loadOp = 'load';
  }
}
