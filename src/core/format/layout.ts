/** The numbers and names of docs/FORMAT.md, each defined once. */

/** A byte above 127, the name, and a two-byte line end: a transfer that alters bytes alters one of these. */
export const signature = Uint8Array.of(0x89, 0x53, 0x54, 0x52, 0x49, 0x41, 0x0d, 0x0a);

/** The last eight bytes of a complete file: `STRIAEND`. */
export const endSignature = Uint8Array.of(0x53, 0x54, 0x52, 0x49, 0x41, 0x45, 0x4e, 0x44);

export const formatVersion = { major: 1, minor: 0 } as const;

/** The signature, two version numbers and four zero bytes. */
export const prologueLength = 16;

/** Record types of version 1. If the first letter is in upper case, a reader that does not know the type must refuse the file. */
export const recordTypes = {
  header: 'HEAD',
  chunk: 'CHNK',
  constants: 'CONS',
  ramps: 'RAMP',
  source: 'SRCE',
  blob: 'BLOB',
  headerCopy: 'head',
  levelChunk: 'lchk',
  level: 'levl',
  index: 'INDX',
  tail: 'TAIL',
} as const;

export const recordHeadLength = 32;
export const maxMetaLength = 4096;

/** The kinds of runs in INDX, with their numbers. */
export const runKinds = { constant: 0, coded: 1, ramp: 2, lost: 3 } as const;

/** Maximum length of the JSON texts in HEAD and SRCE, in bytes. */
export const maxTextLength = 2 ** 20;

/** Maximum length of deflated bytes of the source: of each BLOB's body, and of all of them together once they are inflated. */
export const maxDeflatedLength = 2 ** 24;

/** Maximum length of a chunk's payload: no codec more than doubles its input, which is at most `maxChunkBytes`. */
export const maxPayloadLength = 2 ** 25;

export const maxStages = 8;

/** The next multiple of 8. Records begin at such offsets, and their meta bytes have such lengths. */
export function align8(length: number): number {
  return Math.ceil(length / 8) * 8;
}
