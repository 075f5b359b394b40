/** How a frame came onto the screen. */
export interface FrameTiming {
  /** GPU time that decoding took; undefined where it is not known, or nothing had to be decoded. */
  readonly decodeMs: number | undefined;
  /** When the GPU had finished the frame, on the clock of `performance.now()`. */
  readonly presentedAt: number;
}

/** What shows a stack's frames. */
export interface FrameTarget {
  /** Resolves when the GPU has finished the frame. Frames appear in the order in which they were asked for. */
  showFrame(index: number): Promise<FrameTiming>;
}
