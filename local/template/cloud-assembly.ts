import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';

const Resource = v.object({
  Type: v.string(),
  Properties: v.optional(v.record(v.string(), v.unknown()), {}),
  Metadata: v.optional(v.record(v.string(), v.unknown()), {}),
});

const Template = v.object({
  Resources: v.record(v.string(), Resource),
  Parameters: v.optional(v.record(v.string(), v.object({ Default: v.optional(v.unknown()) })), {}),
  Outputs: v.optional(v.record(v.string(), v.object({ Value: v.unknown() })), {}),
});

/** The parts of a CloudFormation template that the local service reads. */
export type StackTemplate = v.InferOutput<typeof Template>;

/** A synthesized stack with the place of its assets. */
export interface StackAssembly {
  readonly template: StackTemplate;
  /** The folder of the file asset with this S3 object key. @throws {Error} when there is none */
  assetDirectory(objectKey: string): string;
}

const Manifest = v.object({
  artifacts: v.record(
    v.string(),
    v.object({
      type: v.string(),
      properties: v.optional(v.object({ templateFile: v.optional(v.string()) }), {}),
    }),
  ),
});

const AssetManifest = v.object({
  files: v.record(
    v.string(),
    v.object({
      source: v.object({ path: v.optional(v.string()) }),
      destinations: v.record(v.string(), v.object({ objectKey: v.string() })),
    }),
  ),
});

/**
 * The one stack in a cloud assembly.
 *
 * @throws {Error} when there is none, or no saying which
 */
export function readStackAssembly(directory: string): StackAssembly {
  const { artifacts } = v.parse(Manifest, readJson(join(directory, 'manifest.json')));
  const files = Object.values(artifacts).flatMap(({ type, properties }) =>
    type === 'aws:cloudformation:stack' && properties.templateFile ? [properties.templateFile] : [],
  );
  const [file, ...others] = files;
  if (!file || others.length > 0)
    throw new Error(`expected one stack in ${directory}, found ${files.length}`);
  return {
    template: v.parse(Template, readJson(join(directory, file))),
    assetDirectory: (objectKey) => assetDirectory(directory, objectKey),
  };
}

function assetDirectory(directory: string, objectKey: string): string {
  const { artifacts } = v.parse(Manifest, readJson(join(directory, 'manifest.json')));
  for (const [id, { type }] of Object.entries(artifacts)) {
    if (type !== 'cdk:asset-manifest') continue;
    const { files } = v.parse(AssetManifest, readJson(join(directory, `${id}.json`)));
    for (const { source, destinations } of Object.values(files)) {
      const isIt = Object.values(destinations).some((destination) => destination.objectKey === objectKey);
      if (isIt && source.path) return join(directory, source.path);
    }
  }
  throw new Error(`the synthesized assembly has no asset ${objectKey}`);
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'));
}
