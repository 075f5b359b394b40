import { StriaError } from '../shared/errors.ts';
import type { BenchResult } from './harness/result.ts';
import schema from './result.schema.json' with { type: 'json' };

/** The part of JSON Schema that result.schema.json uses. */
interface Schema {
  readonly $ref?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly type?: string | readonly string[];
  readonly minimum?: number;
  readonly pattern?: string;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
}

const definitions: Readonly<Record<string, Schema>> = schema.$defs as Readonly<Record<string, Schema>>;

/** Validates parsed JSON as a result. @throws StriaError `invalid-input`, naming the first invalid field */
export function checkBenchResult(value: unknown): BenchResult {
  check(value, schema as Schema, 'result');
  return value as BenchResult;
}

function check(value: unknown, given: Schema, place: string): void {
  const wanted = given.$ref ? (definitions[given.$ref.replace('#/$defs/', '')] as Schema) : given;
  const refuse = (why: string): never => {
    throw new StriaError('invalid-input', `not a bench result of schema ${schema.properties.schema.const}: ${place} ${why}`);
  };
  if (wanted.const !== undefined && value !== wanted.const) refuse(`is not ${JSON.stringify(wanted.const)}`);
  if (wanted.enum && !wanted.enum.includes(value)) refuse(`is not one of ${wanted.enum.join(', ')}`);
  const types = typeof wanted.type === 'string' ? [wanted.type] : wanted.type;
  if (types && !types.some((type) => isOf(value, type))) refuse(`is not of type ${types.join(' or ')}`);
  if (typeof value === 'number' && wanted.minimum !== undefined && !(value >= wanted.minimum))
    refuse(`is below ${wanted.minimum}`);
  if (typeof value === 'string' && wanted.pattern && !new RegExp(wanted.pattern).test(value)) refuse(`is not ${wanted.pattern}`);
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) check(item, wanted.items ?? {}, `${place}[${index}]`);
  } else if (typeof value === 'object' && value !== null) {
    for (const name of wanted.required ?? []) if (!(name in value)) refuse(`has no ${name}`);
    for (const [name, part] of Object.entries(value)) {
      // Undefined values are not written to files.
      if (part === undefined) continue;
      const others = wanted.additionalProperties ?? true;
      const known = wanted.properties?.[name] ?? (typeof others === 'object' ? others : undefined);
      if (known) check(part, known, `${place}.${name}`);
      else if (others === false) refuse(`has an unknown ${name}`);
    }
  }
}

function isOf(value: unknown, type: string): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  if (type === 'number') return Number.isFinite(value);
  // The remaining types, string and boolean, have the names that typeof returns.
  const name: string = typeof value;
  return name === type;
}
