/** The result of reading a typed number: a finite number, or a message that says why the text is not one. */
export type ReadNumber = { readonly value: number } | { readonly problem: string };

const spaces = /[\s\u00a0\u2009\u202f]/;
const number = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/;

/**
 * Reads a number as people write it, in any locale: `1e9`, `−6.5E−13`, `3×10^38`, `1 000.5`, `0,5`, `1,234.5`, `1.234,5`. A
 * point alone is the decimal point. A comma that could separate either decimals or thousands (`1,234`) is refused.
 */
export function readNumber(text: string): ReadNumber {
  const written = text.trim();
  if (written === '') return { problem: 'Enter a number' };
  const plain = withoutGroups(
    written
      .replaceAll('−', '-')
      .replace(/\s*[×x·*]\s*10\^/i, 'e')
      .replace('E', 'e'),
  );
  const either = /^([+-]?[1-9]\d{0,2}),(\d{3})(e.*)?$/.exec(plain);
  if (either) return { problem: `Enter ${either[1]}${either[2]} or ${either[1]}.${either[2]}: the comma is ambiguous` };
  const pointed = pointedDecimals(plain);
  if (!number.test(pointed)) return { problem: `‘${written}’ is not a number` };
  const value = Number(pointed);
  return Number.isFinite(value) ? { value } : { problem: `‘${written}’ is too large` };
}

/** A number as editable text: safe integers in full, others with `digits` significant digits. */
export function fieldText(value: number, digits = 7): string {
  const rounded = Number.isSafeInteger(value) && Math.abs(value) < 1e15 ? value : Number(value.toPrecision(digits));
  const shown = Number.isFinite(rounded) ? rounded : value;
  const [plain, exponential] = [String(shown + 0), (shown + 0).toExponential()];
  const isLong = Math.abs(shown) >= 1e9 && exponential.length < plain.length;
  return (isLong && !Number.isSafeInteger(shown) ? exponential : plain).replace('e+', 'e');
}

/** Removes spaces between groups of three digits. Other spaces stay, so that the text is not read as a number. */
function withoutGroups(text: string): string {
  const [whole = '', ...rest] = text.split(/(?=[.,e])/);
  const groups = whole.split(spaces);
  const areThousands = groups.length > 1 && groups.every((group, at) => (at === 0 ? /^[+-]?\d{1,3}$/ : /^\d{3}$/).test(group));
  return (areThousands ? groups.join('') : whole) + rest.join('');
}

/** Uses a decimal point and removes thousands separators. */
function pointedDecimals(text: string): string {
  const [mantissa = '', ...exponent] = text.split(/(?=e)/);
  const pointed = (): string => {
    if (/^[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?$/.test(mantissa)) return mantissa.replaceAll(',', '');
    if (/^[+-]?[1-9]\d{0,2}(\.\d{3})+,\d*$/.test(mantissa)) return mantissa.replaceAll('.', '').replace(',', '.');
    return /^[^.,]*,[^.,]*$/.test(mantissa) ? mantissa.replace(',', '.') : mantissa;
  };
  return pointed() + exponent.join('');
}
