import { PairsPart } from './seeds/rutter-pairs.ts';

/** Messages to a thread of the benchmark's crew (harness/context.ts). The answer to each is one number. */
export type CrewMessage =
  | { readonly kind: 'load'; readonly voxels: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'encode'; readonly side: number; readonly order: 'rows' | 'columns' };

/** Creates a thread's message handler, which handles one message after another. */
export function createCrewMember(): (message: CrewMessage) => number {
  let part = new PairsPart(new Uint8Array(0));
  return (message) => {
    if (message.kind === 'encode') return part.encode(message.side, message.order);
    part = new PairsPart(message.voxels);
    return message.voxels.byteLength;
  };
}

/** A crew's thread as the host provides it: `ask` resolves with the answer. */
export interface CrewThread {
  ask(message: CrewMessage, transfer: ArrayBuffer[]): Promise<number>;
  end(): Promise<void>;
}
