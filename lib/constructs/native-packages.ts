import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AssetHashType, DockerImage } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';

interface NativePackages {
  /** Where package-lock.json is. */
  readonly projectDirectory: string;
  /** The packages with machine code, for Linux on arm64. */
  readonly packages: readonly string[];
  /** False leaves the layer empty, for syntheses that are not deployed: nothing is downloaded then. */
  readonly isInstalled: boolean;
}

interface Lockfile {
  readonly packages: Readonly<Record<string, { readonly version: string }>>;
}

const NPM_FLAGS = [
  '--os=linux',
  '--cpu=arm64',
  '--libc=glibc',
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
];

/**
 * The contents of a layer with packages of machine code for Lambda's processor, whatever machine synthesizes.
 * They are the versions of package-lock.json, checked against its hashes by `npm ci`. Bundles find them by
 * `require`, as Lambda puts /opt/nodejs/node_modules on its path; elsewhere they find that machine's own.
 */
export function nativePackages({ projectDirectory, packages, isInstalled }: NativePackages): Code {
  const { wanted, lock } = lockOf(projectDirectory, packages);
  const writeTo = (directory: string): string => {
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, 'package.json'), JSON.stringify(wanted));
    writeFileSync(join(directory, 'package-lock.json'), JSON.stringify(lock));
    return directory;
  };
  const source = writeTo(join(projectDirectory, 'build/native-packages'));
  if (!isInstalled) return Code.fromAsset(source);
  const tryBundle = (output: string): boolean => {
    const cwd = writeTo(join(output, 'nodejs'));
    execFileSync('npm', ['ci', ...NPM_FLAGS], { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
    const missing = packages.filter((name) => !existsSync(join(cwd, 'node_modules', name)));
    if (missing.length > 0) throw new Error(`npm did not install ${missing.join(', ')}`);
    return true;
  };
  return Code.fromAsset(source, {
    assetHashType: AssetHashType.SOURCE,
    // The image is never used: installing with npm needs no container.
    bundling: { image: DockerImage.fromRegistry('scratch'), local: { tryBundle } },
  });
}

/** The part of the project's lockfile that is about these packages. */
function lockOf(projectDirectory: string, packages: readonly string[]) {
  const { packages: all }: Lockfile = JSON.parse(
    readFileSync(join(projectDirectory, 'package-lock.json'), 'utf8'),
  );
  const locked = packages.map((name) => {
    const entry = all[`node_modules/${name}`];
    if (!entry) throw new Error(`package-lock.json does not know ${name}, which the layer is to hold`);
    return [name, entry] as const;
  });
  // Optional, since npm refuses other packages for a processor that is not the machine's own.
  const optionalDependencies = Object.fromEntries(locked.map(([name, { version }]) => [name, version]));
  const wanted = { name: 'native-packages', version: '1.0.0', private: true, optionalDependencies };
  const entries = Object.fromEntries(locked.map(([name, entry]) => [`node_modules/${name}`, entry]));
  const lock = { name: wanted.name, version: wanted.version, lockfileVersion: 3, requires: true };
  return { wanted, lock: { ...lock, packages: { '': wanted, ...entries } } };
}
