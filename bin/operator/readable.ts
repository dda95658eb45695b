/** A result as lines of name and value, for a person; names of nested values are joined by dots. */
export function readable(result: object): string {
  const lines = leaves(result, []);
  const width = Math.max(...lines.map(([name]) => name.length));
  return lines.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join('\n');
}

function leaves(value: unknown, path: readonly string[]): [name: string, value: string][] {
  if (Array.isArray(value)) return [[path.join('.'), value.join(', ')]];
  if (value === null || typeof value !== 'object')
    return [[path.join('.'), value === null ? '-' : String(value)]];
  return Object.entries(value).flatMap(([key, item]) => leaves(item, [...path, key]));
}
