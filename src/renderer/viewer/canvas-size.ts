/** Follows the size of a canvas in CSS pixels, and the pixel ratio of its screen. */
export class CanvasSize {
  readonly #canvas: HTMLCanvasElement;
  readonly #onChange: () => void;
  readonly #observers: readonly ResizeObserver[];
  #width = 0;
  #height = 0;
  #pixelRatio = 0;

  /** @param onChange called by `fit`, when observation begins, and after each change */
  constructor(canvas: HTMLCanvasElement, onChange: () => void) {
    this.#canvas = canvas;
    this.#onChange = onChange;
    const inPage = new ResizeObserver(() => this.fit());
    inPage.observe(canvas);
    // On a screen with another pixel ratio, the size in CSS pixels stays and the size in the screen's pixels changes.
    const onScreen = new ResizeObserver(() => {
      if (this.#pixelRatio !== window.devicePixelRatio) this.fit();
    });
    onScreen.observe(canvas, { box: 'device-pixel-content-box' });
    this.#observers = [inPage, onScreen];
  }

  /** Whether the last call of `onChange` saw the current size. */
  get isFitted(): boolean {
    const { clientWidth, clientHeight } = this.#canvas;
    return this.#width === clientWidth && this.#height === clientHeight && this.#pixelRatio === window.devicePixelRatio;
  }

  fit(): void {
    this.#width = this.#canvas.clientWidth;
    this.#height = this.#canvas.clientHeight;
    this.#pixelRatio = window.devicePixelRatio;
    this.#onChange();
  }

  disconnect(): void {
    for (const observer of this.#observers) observer.disconnect();
  }
}
