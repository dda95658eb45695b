import {
  type ConversionConfig,
  type JsonSchema,
  toJsonSchema,
  toJsonSchemaDefs,
} from '@valibot/to-json-schema';
import type * as v from 'valibot';
import { Variant } from '../captions/caption-variants.ts';
import { TailorCaptionsRequest } from '../captions/tailor-captions.ts';
import { Channel } from '../channels/channel.ts';
import { PLATFORMS, rulesOf } from '../channels/platform.ts';
import { CreatedMedia, Media } from '../media/media.ts';
import { Post, PostChannelStatus } from '../posts/post.ts';
import { ChannelTarget, CreatePostRequest, UpdatePostRequest } from '../posts/post-request.ts';
import { TargetOptions } from '../posts/target-options.ts';
import { Attempt } from '../publishing/attempt.ts';
import { Workspace } from '../workspaces/workspace.ts';

/** The schemas that have a name of their own in the document; all others are written where they are used. */
const NAMED = {
  CreatePostRequest,
  UpdatePostRequest,
  ChannelTarget,
  TargetOptions,
  Post,
  PostChannelStatus,
  Attempt,
  Channel,
  Workspace,
  Media,
  CreatedMedia,
  TailorCaptionsRequest,
  Variant,
} satisfies Record<string, v.GenericSchema>;

/**
 * Code points, strict times and page sizes are checked by functions of our own, which have no form in JSON
 * Schema; the metadata beside each check says what it comes to.
 */
const CONVERSION: Omit<ConversionConfig, 'definitions'> = {
  target: 'draft-2020-12',
  errorMode: 'ignore',
  overrideAction: ({ valibotAction, jsonSchema }) =>
    valibotAction.type === 'metadata' && 'metadata' in valibotAction
      ? { ...jsonSchema, ...(valibotAction.metadata as object) }
      : undefined,
  overrideRef: ({ referenceId }) => `#/components/schemas/${referenceId}`,
};

/** Turns what validates into what documents. */
export function jsonSchemaOf(schema: v.GenericSchema): JsonSchema {
  const {
    $schema: _,
    $defs: __,
    ...jsonSchema
  } = toJsonSchema(schema, { ...CONVERSION, definitions: NAMED });
  return jsonSchema;
}

/** The schemas with names, by name. */
export function namedJsonSchemas(): Readonly<Record<string, JsonSchema>> {
  const schemas = toJsonSchemaDefs(NAMED, CONVERSION);
  return { ...schemas, TargetOptions: withTakers(schemas.TargetOptions) };
}

/** Says of each option on which platforms it has a meaning, from the very table that refuses it elsewhere. */
function withTakers(options: JsonSchema): JsonSchema {
  const properties = Object.entries(options.properties ?? {}).map(([option, schema]) => {
    const takers = PLATFORMS.filter((platform) => rulesOf(platform).options.includes(option));
    const { description = '', ...rest } = schema as JsonSchema;
    return [option, { ...rest, description: `${description} Only on ${takers.join(', ')}.`.trim() }];
  });
  return { ...options, properties: Object.fromEntries(properties) };
}
