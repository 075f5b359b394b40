/**
 * Compares names in natural order: runs of digits by value, so that `frame2` precedes `frame10`; everything else by code unit.
 * It does not depend on the machine's language, so the same files make the same stack everywhere.
 */
export function compareNatural(a: string, b: string): number {
  const [left, right] = [pieces(a), pieces(b)];
  for (let index = 0; index < Math.min(left.length, right.length); index++) {
    const order = comparePieces(left[index] as string, right[index] as string);
    if (order !== 0) return order;
  }
  // Names that differ only in leading zeros: `1` and `01`.
  return left.length - right.length || compareText(a, b);
}

function pieces(name: string): readonly string[] {
  return name.match(/\d+|\D+/g) ?? [];
}

function comparePieces(a: string, b: string): number {
  if (!/^\d/.test(a) || !/^\d/.test(b)) return compareText(a, b);
  // Numbers of any length: the one with more digits is larger.
  const [left, right] = [a.replace(/^0+/, ''), b.replace(/^0+/, '')];
  return left.length - right.length || compareText(left, right);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
