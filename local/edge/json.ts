/** A parsed JSON object whose members are still to be looked at. */
export type Json = Readonly<Record<string, unknown>>;

/** The value as an object; an empty one when it is none. */
export function objectOf(value: unknown): Json {
  return isObject(value) ? value : {};
}

/** The value as a list; an empty one when it is none. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The value as text; empty when it is none. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The value as a number; zero when it is none. */
export function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
