/** About how long the thread may take to decode bricks for a frame, in milliseconds: as long as `UpdatePace` allows one volume. */
const frameMs = 3;

/** The volumes of a frame decode their bricks in turn, until the time is up. The next frame begins with the first one that is left out. */
export class UpdateTurns<Volume extends object> {
  #next: Volume | undefined;

  /** @param update decodes bricks that have arrived for a volume */
  run(volumes: readonly Volume[], update: (volume: Volume) => void): void {
    const start = performance.now();
    const first = this.#next ? Math.max(0, volumes.indexOf(this.#next)) : 0;
    this.#next = undefined;
    for (let at = 0; at < volumes.length; at++) {
      const volume = volumes[(first + at) % volumes.length] as Volume;
      if (at > 0 && performance.now() - start >= frameMs) {
        this.#next = volume;
        return;
      }
      update(volume);
    }
  }
}
