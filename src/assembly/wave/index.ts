// The loops of `wave` over a part's elements: src/core/codecs/wave/SPEC.md. They produce the same results as those of
// src/core/codecs/wave/loops.ts; src/core/codecs/wave/part.ts makes the choices, and reads and writes headers.
export { count } from './count';
export { decode } from './decode';
export { encode } from './encode';
export { fit } from './fit';
export { historyBytes } from './history';
export { slicesBytes } from './slices';

/** Memory from this address on belongs to the caller. */
export const freeAt: usize = __heap_base;
