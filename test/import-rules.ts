import { posix } from 'node:path';

/** One import of a source file; `target` is a path from the project's root, or a package's name. */
interface Import {
  readonly target: string;
  readonly isOurs: boolean;
  readonly isTypeOnly: boolean;
}

/** Features from the ground up; a feature may import those before it. What shares a place is apart. */
const ORDER = [
  ['shared'],
  ['access'],
  ['workspaces'],
  ['channels'],
  ['media'],
  ['posts', 'captions'],
  ['publishing'],
  ['reference'],
];

/** Where AWS may be spoken to: handlers wire; stores, vaults, models and events adapt; shared/ has the presets. */
const ADAPTER = /(\.handler|-store|-vault|bedrock-model|\/events)\.ts$|^functions\/shared\//;
const AWS = /^(@aws-sdk\/|@smithy\/|aws-lambda$|@types\/aws-lambda|@middy\/|@aws-lambda-powertools\/)/;

const VAGUE_NAME = /(^|[-.])(utils?|helpers?|common|managers?|types|misc|interfaces?)([-.]|$)/;

type Rule = readonly [rule: string, isBroken: (from: string, imported: Import) => boolean];

const RULES: readonly Rule[] = [
  [
    'nobody but a test imports a handler',
    (from, { target }) => !isIn(from, 'test') && target.endsWith('.handler.ts'),
  ],
  [
    'functions/ imports only functions/, and the document made from it',
    (from, { target, isOurs }) =>
      isOurs && isIn(from, 'functions') && !isIn(target, 'functions') && target !== 'openapi.json',
  ],
  [
    'lib/ imports types alone from functions/, and nothing from bin/, local/ or test/',
    (from, { target, isOurs, isTypeOnly }) =>
      isOurs && isIn(from, 'lib') && !isIn(target, 'lib') && !(isTypeOnly && isIn(target, 'functions')),
  ],
  [
    'constructs know AWS and not our domain',
    (from, { target, isOurs }) => isOurs && isIn(from, 'lib/constructs') && !isIn(target, 'lib/constructs'),
  ],
  [
    'a feature imports only features below it',
    (from, { target, isOurs }) => isOurs && !mayImport(featureOf(from), featureOf(target)),
  ],
  [
    'a use case speaks to no AWS library',
    (from, { target }) => isIn(from, 'functions') && !ADAPTER.test(from) && AWS.test(target),
  ],
];

/** What a file's imports and name break, one line each. */
export function brokenRules(path: string, source: string): readonly string[] {
  const imports = importsOf(path, source).flatMap((imported) =>
    RULES.filter(([, isBroken]) => isBroken(path, imported)).map(
      ([rule]) => `${path} imports ${imported.target}: ${rule}`,
    ),
  );
  const vague = path.split('/').filter((part) => VAGUE_NAME.test(part));
  return [...imports, ...vague.map((part) => `${path}: "${part}" does not say what is in it`)];
}

function importsOf(path: string, source: string): readonly Import[] {
  const named = [...source.matchAll(/^(?:import|export)\b( type\b)?[^;']*?\bfrom '([^']+)'/gm)].map(
    ([, type, specifier = '']) => ({ specifier, isTypeOnly: type !== undefined }),
  );
  const bare = [...source.matchAll(/^import '([^']+)'|\bimport\('([^']+)'\)/gm)].map(
    ([, sideEffect, dynamic]) => ({ specifier: sideEffect ?? dynamic ?? '', isTypeOnly: false }),
  );
  return [...named, ...bare].map(({ specifier, isTypeOnly }) => {
    const isOurs = specifier.startsWith('.');
    const target = isOurs ? posix.join(posix.dirname(path), specifier) : specifier;
    return { target, isOurs, isTypeOnly };
  });
}

const isIn = (path: string, folder: string): boolean => path.startsWith(`${folder}/`);

const featureOf = (path: string): string | undefined =>
  isIn(path, 'functions') ? path.split('/')[1] : undefined;

function mayImport(feature: string | undefined, other: string | undefined): boolean {
  if (feature === undefined || other === undefined || feature === other) return true;
  const place = (name: string) => ORDER.findIndex((features) => features.includes(name));
  return place(other) >= 0 && place(other) < place(feature);
}
