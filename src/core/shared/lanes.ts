/**
 * Maps items with at most one running call per lane. Results are in the items' order. After a failure no further call starts, and
 * the error is thrown once all running calls have ended.
 */
export async function mapOnto<Lane, Item, Result>(
  lanes: readonly Lane[],
  items: readonly Item[],
  map: (lane: Lane, item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results = new Array<Result>(items.length);
  let next = 0;
  let failure: { readonly error: unknown } | undefined;
  const work = async (lane: Lane) => {
    while (next < items.length && !failure) {
      const index = next++;
      try {
        results[index] = await map(lane, items[index] as Item, index);
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(lanes.slice(0, items.length).map(work));
  if (failure) throw (failure as { readonly error: unknown }).error;
  return results;
}
