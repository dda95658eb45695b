const patterns = new Map<string, RegExp>();

/** Whether the text matches an IAM pattern: `*` is anything, `?` one character, the rest itself. */
export function matches(pattern: string, text: string): boolean {
  if (pattern === '*' || pattern === text) return true;
  return compiled(pattern).test(text);
}

/** Action names are matched without regard to case, as IAM does. */
export function matchesAction(pattern: string, action: string): boolean {
  return matches(pattern.toLowerCase(), action.toLowerCase());
}

function compiled(pattern: string): RegExp {
  const known = patterns.get(pattern);
  if (known !== undefined) return known;
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  const made = new RegExp(`^${source}$`, 's');
  patterns.set(pattern, made);
  return made;
}
