// The checksum of src/core/format/checksum.ts.

/** Memory from this address on belongs to the caller. */
export const freeAt: usize = __heap_base;

export { checksum } from '../common/checksum';
