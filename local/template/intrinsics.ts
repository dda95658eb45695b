/** Answers what a template's references mean on this machine. */
export interface Scope {
  /** The value of `Ref`, of a resource, a parameter or a pseudo parameter. */
  ref(name: string): string;
  /** The value of `Fn::GetAtt`. */
  attribute(logicalId: string, attribute: string): string;
}

type Intrinsic = (argument: unknown, scope: Scope) => unknown;

const INTRINSICS: Readonly<Record<string, Intrinsic>> = {
  Ref: (argument, scope) => scope.ref(text(argument)),
  'Fn::GetAtt': (argument, scope) => {
    const [logicalId, ...attribute] = Array.isArray(argument)
      ? argument.map(text)
      : text(argument).split('.');
    return scope.attribute(logicalId ?? '', attribute.join('.'));
  },
  'Fn::Join': (argument, scope) => {
    const [separator, values] = pair(argument);
    return list(resolve(values, scope)).map(text).join(text(separator));
  },
  'Fn::Split': (argument, scope) => {
    const [separator, value] = pair(argument);
    return text(resolve(value, scope)).split(text(separator));
  },
  'Fn::Select': (argument, scope) => {
    const [index, values] = pair(argument);
    const chosen = list(resolve(values, scope))[Number(index)];
    if (chosen === undefined) throw new Error(`Fn::Select has no element ${String(index)}`);
    return chosen;
  },
  'Fn::Sub': (argument, scope) => {
    const [template, variables] = Array.isArray(argument) ? pair(argument) : [argument, {}];
    const known = record(resolve(variables, scope));
    return text(template).replaceAll(/\$\{(!?)([^}]+)\}/g, (_, literal: string, name: string) => {
      if (literal) return `\${${name}}`;
      if (name in known) return text(known[name]);
      const [logicalId = '', ...attribute] = name.split('.');
      return attribute.length > 0 ? scope.attribute(logicalId, attribute.join('.')) : scope.ref(name);
    });
  },
};

/**
 * A template value with every intrinsic function worked out.
 *
 * @throws {Error} that names an intrinsic this reader does not know.
 */
export function resolve(value: unknown, scope: Scope): unknown {
  if (Array.isArray(value)) return value.map((element) => resolve(element, scope));
  if (typeof value !== 'object' || value === null) return value;
  const [[name, argument] = ['', undefined], ...more] = Object.entries(value);
  if (more.length === 0 && (name === 'Ref' || name.startsWith('Fn::'))) {
    const intrinsic = INTRINSICS[name];
    if (!intrinsic) throw new Error(`the local service cannot work out ${name} in the template`);
    return intrinsic(argument, scope);
  }
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, resolve(inner, scope)]));
}

function text(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new Error(`the template has ${JSON.stringify(value)} where a text is needed`);
}

function list(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new Error(`the template has ${JSON.stringify(value)} where a list is needed`);
}

function pair(value: unknown): readonly [unknown, unknown] {
  const [first, second] = list(value);
  return [first, second];
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
