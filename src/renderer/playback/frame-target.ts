/** The timing of a frame on screen. */
export interface FrameTiming {
  /** GPU decoding time in milliseconds; undefined if unknown or if nothing had to be decoded. */
  readonly decodeMs: number | undefined;
  /** When the GPU finished the frame, on the clock of `performance.now()`. */
  readonly presentedAt: number;
}

/** Shows the frames of a stack. */
export interface FrameTarget {
  /** Resolves when the GPU has finished the frame. Frames appear in the order of the requests. */
  showFrame(index: number): Promise<FrameTiming>;
}
