/** A row as the table under simulation holds it. */
export type Item = Readonly<Record<string, unknown>>;

/** The placeholders of an expression. */
export interface Names {
  readonly ExpressionAttributeNames?: Record<string, string> | undefined;
  readonly ExpressionAttributeValues?: Record<string, unknown> | undefined;
}

type Evaluate = (item: Item, names: Names) => unknown;

const TOKEN = /<=|>=|<>|[()=<>,+-]|[#:]?[\w.]+/g;
const parsed = new Map<string, Evaluate>();

/** Whether a condition holds for a row; one that is not there is `{}`. Only what our conditions use is known. */
export function holds(condition: string | undefined, item: Item, names: Names): boolean {
  if (condition === undefined) return true;
  let evaluate = parsed.get(condition);
  if (!evaluate) {
    const tokens = tokensOf(condition);
    evaluate = either(tokens);
    if (tokens.length > 0) throw new Error(`cannot read ${tokens.join(' ')} in ${condition}`);
    parsed.set(condition, evaluate);
  }
  return evaluate(item, names) === true;
}

const tokensOf = (text: string): string[] => text.match(TOKEN) ?? [];

function either(tokens: string[]): Evaluate {
  const parts = [both(tokens)];
  while (tokens[0] === 'OR') {
    tokens.shift();
    parts.push(both(tokens));
  }
  return (item, names) => parts.some((part) => part(item, names) === true);
}

function both(tokens: string[]): Evaluate {
  const parts = [term(tokens)];
  while (tokens[0] === 'AND') {
    tokens.shift();
    parts.push(term(tokens));
  }
  return (item, names) => parts.every((part) => part(item, names) === true);
}

function term(tokens: string[]): Evaluate {
  if (tokens[0] === 'NOT') {
    tokens.shift();
    const inner = term(tokens);
    return (item, names) => inner(item, names) !== true;
  }
  if (tokens[0] === '(') {
    tokens.shift();
    const inner = either(tokens);
    tokens.shift();
    return inner;
  }
  const left = value(tokens);
  const operator = tokens[0];
  if (operator === 'IN') {
    tokens.splice(0, 2);
    const options: Evaluate[] = [];
    while (tokens[0] !== ')') {
      if (tokens[0] === ',') tokens.shift();
      options.push(value(tokens));
    }
    tokens.shift();
    return (item, names) => options.some((option) => option(item, names) === left(item, names));
  }
  const compare = operator === undefined ? undefined : COMPARE[operator];
  if (!compare) return left;
  tokens.shift();
  const right = value(tokens);
  return (item, names) => {
    const [a, b] = [left(item, names), right(item, names)];
    return a !== undefined && b !== undefined && compare(a, b);
  };
}

// biome-ignore lint/suspicious/noExplicitAny: DynamoDB compares what it finds
const COMPARE: Readonly<Record<string, (a: any, b: any) => boolean>> = {
  '=': (a, b) => a === b,
  '<>': (a, b) => a !== b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
};

function value(tokens: string[]): Evaluate {
  const token = tokens.shift() ?? '';
  if (tokens[0] === '(') {
    tokens.shift();
    const path = tokens.shift() ?? '';
    if (token === 'attribute_exists' || token === 'attribute_not_exists') {
      tokens.shift();
      const isWanted = token === 'attribute_exists';
      return (item, names) => (item[nameOf(path, names)] !== undefined) === isWanted;
    }
    if (token === 'begins_with') {
      tokens.shift();
      const prefix = value(tokens);
      tokens.shift();
      return (item, names) => String(item[nameOf(path, names)] ?? '').startsWith(String(prefix(item, names)));
    }
    if (token !== 'if_not_exists') throw new Error(`the simulation knows no ${token}()`);
    tokens.shift();
    const otherwise = value(tokens);
    tokens.shift();
    return (item, names) => item[nameOf(path, names)] ?? otherwise(item, names);
  }
  if (!token.startsWith(':')) return (item, names) => item[nameOf(token, names)];
  return (_, { ExpressionAttributeValues }) => {
    const given = ExpressionAttributeValues?.[token];
    if (given === undefined) throw new Error(`no value for ${token}`);
    return given;
  };
}

const nameOf = (path: string, { ExpressionAttributeNames }: Names): string =>
  path.startsWith('#') ? (ExpressionAttributeNames?.[path] ?? path) : path;

/** The row after an update: `SET a = b + c, d = if_not_exists(d, e) REMOVE f, g`. */
export function updated(expression: string, item: Item, names: Names): Item {
  const after: Record<string, unknown> = { ...item };
  const tokens = tokensOf(expression);
  let clause = '';
  while (tokens.length > 0) {
    if (tokens[0] === ',') tokens.shift();
    if (tokens[0] === 'SET' || tokens[0] === 'REMOVE') clause = tokens.shift() ?? '';
    const name = nameOf(tokens.shift() ?? '', names);
    if (clause === 'REMOVE') {
      delete after[name];
      continue;
    }
    if (tokens.shift() !== '=') throw new Error(`cannot read ${expression}`);
    after[name] = sum(tokens, item, names);
  }
  return after;
}

function sum(tokens: string[], item: Item, names: Names): unknown {
  let total = value(tokens)(item, names);
  while (tokens[0] === '+' || tokens[0] === '-') {
    const sign = tokens.shift() === '+' ? 1 : -1;
    total = Number(total) + sign * Number(value(tokens)(item, names));
  }
  return total;
}
