/** The numbers and names of docs/FORMAT.md, each once. */

/** A byte above 127, the name, and a line end of two bytes: what breaks bytes on the way breaks one of these. */
export const signature = Uint8Array.of(0x89, 0x53, 0x54, 0x52, 0x49, 0x41, 0x0d, 0x0a);

/** The last eight bytes of a whole file: `STRIAEND`. */
export const endSignature = Uint8Array.of(0x53, 0x54, 0x52, 0x49, 0x41, 0x45, 0x4e, 0x44);

export const formatVersion = { major: 1, minor: 0 } as const;

/** The signature, two version numbers and four zero bytes. */
export const prologueLength = 16;

/** Record types of version 1. A first letter in upper case: a reader that does not know the type must refuse the file. */
export const recordTypes = {
  header: 'HEAD',
  chunk: 'CHNK',
  constants: 'CONS',
  ramps: 'RAMP',
  source: 'SRCE',
  blob: 'BLOB',
  headerCopy: 'head',
  index: 'INDX',
  tail: 'TAIL',
} as const;

export const recordHeadLength = 32;
export const maxMetaLength = 4096;

/** Kinds of runs in INDX, by their numbers. */
export const runKinds = { constant: 0, coded: 1, ramp: 2, lost: 3 } as const;

/** Bytes of the JSON texts in HEAD and SRCE. */
export const maxTextLength = 2 ** 20;

/** A chunk's encoded bytes: no codec makes more than twice its input, which is `maxChunkBytes` at most. */
export const maxPayloadLength = 2 ** 25;

export const maxStages = 8;

/** The next multiple of 8: where records begin, and how long a record's meta bytes are. */
export function align8(length: number): number {
  return Math.ceil(length / 8) * 8;
}
