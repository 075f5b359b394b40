import type { BenchContext } from '../harness/context.ts';
import { benchCuvle } from './cuvle.ts';
import { benchMetalRice } from './metal-rice.ts';
import { benchParle } from './parle.ts';
import { benchRutter } from './rutter.ts';

/** Suite `seeds`: repeats the measurements of the papers behind Stria on this machine. */
export async function benchSeeds(context: BenchContext): Promise<void> {
  await benchRutter(context);
  await benchParle(context);
  await benchCuvle(context);
  await benchMetalRice(context);
}
