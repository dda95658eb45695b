import { existsSync, globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Code } from 'aws-cdk-lib/aws-lambda';
import { type BuildOptions, buildSync } from 'esbuild';
import { nativePackages } from './native-packages.ts';

/** Where the code of functions comes from; an entry is `<feature>/<verb-noun>`. */
export interface Bundles {
  /** @throws {Error} when the entry has no handler. */
  codeOf(entry: string): Code;
  /** The contents of a layer with packages that cannot be bundled: they have machine code in them. */
  layerOf(packages: readonly string[]): Code;
  /** The folder of the upload gateway's container: its Dockerfile and its one file. */
  uploadGateway(): string;
}

const SUFFIX = '.handler.ts';

/** Packages inside a bundle that are CommonJS call `require`, which an ES module has not got by itself. */
const REQUIRE = "import{createRequire}from'node:module';const require=createRequire(import.meta.url);";

/** Packages of machine code, which layers hold; and what node-av asks for and has no use for here. */
const MACHINE_CODE: string[] = ['@img/sharp-*', '@seydx/*', 'werift'];

/** How each bundle is made. */
export const BUNDLED = {
  write: false,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  external: MACHINE_CODE,
  // The ES modules of a package, where it has both forms, so that unused exports fall away.
  mainFields: ['module', 'main'],
  banner: { js: REQUIRE },
  minify: true,
  keepNames: true,
  sourcemap: 'linked',
  sourcesContent: false,
  metafile: true,
  logLevel: 'warning',
} as const satisfies BuildOptions & { write: false };

/**
 * Bundles all handlers under `functions/`, in one run of esbuild, to
 * `build/functions/<entry>/index.mjs`. The AWS SDK is bundled too: its version is then ours and not the
 * runtime's, and what is tested is what ships. `build/functions/sizes.json` is esbuild's metafile.
 *
 * `hasNativePackages` is for syntheses that are deployed: layers are then filled, from the package registry.
 */
export function esbuildBundles(
  projectDirectory: string,
  { hasNativePackages = true }: { readonly hasNativePackages?: boolean } = {},
): Bundles {
  const sources = join(projectDirectory, 'functions');
  const output = join(projectDirectory, 'build/functions');
  const entries = globSync(`*/*${SUFFIX}`, { cwd: sources }).map((path) => path.slice(0, -SUFFIX.length));
  const { metafile, outputFiles } = buildSync({
    ...BUNDLED,
    absWorkingDir: projectDirectory,
    entryPoints: entries.map((entry) => ({ in: join(sources, entry + SUFFIX), out: `${entry}/index` })),
    outdir: output,
  });
  for (const { path, contents } of outputFiles) replaceFile(path, contents);
  replaceFile(join(output, 'sizes.json'), Buffer.from(JSON.stringify(metafile)));
  return {
    codeOf(entry) {
      const handler = join(sources, entry + SUFFIX);
      if (!existsSync(handler))
        throw new Error(`functions/${entry}${SUFFIX} is missing, but lib/ deploys it`);
      return Code.fromAsset(join(output, entry));
    },
    uploadGateway: () => uploadGatewayIn(projectDirectory),
    layerOf: (packages) => nativePackages({ projectDirectory, packages, isInstalled: hasNativePackages }),
  };
}

/** Bundles upload/main.ts beside its Dockerfile. */
function uploadGatewayIn(projectDirectory: string): string {
  const [source, output] = [join(projectDirectory, 'upload'), join(projectDirectory, 'build/upload')];
  const entryPoints = [{ in: join(source, 'main.ts'), out: 'index' }];
  const { outputFiles } = buildSync({
    ...BUNDLED,
    absWorkingDir: projectDirectory,
    entryPoints,
    outdir: output,
  });
  for (const { path, contents } of outputFiles) replaceFile(path, contents);
  replaceFile(join(output, 'Dockerfile'), readFileSync(join(source, 'Dockerfile')));
  return output;
}

/** Writes a file whole or not at all, and only if it changes: another synthesis may be reading it just now. */
function replaceFile(path: string, contents: Uint8Array): void {
  if (existsSync(path) && readFileSync(path).equals(contents)) return;
  mkdirSync(dirname(path), { recursive: true });
  const partial = `${path}.${process.pid}`;
  writeFileSync(partial, contents);
  renameSync(partial, path);
}

/** Stands in for the bundles in tests of the template, where no code is run. */
export const noBundles: Bundles = {
  codeOf: () => Code.fromInline('export const handler = undefined;'),
  layerOf: () => Code.fromAsset(import.meta.dirname),
  uploadGateway: () => join(import.meta.dirname, '../../upload'),
};
