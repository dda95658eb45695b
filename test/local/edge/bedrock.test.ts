import { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { bedrockCaptionModel } from '../../../functions/captions/bedrock-model.ts';
import { captionPrompt } from '../../../functions/captions/caption-prompt.ts';
import { problemOf, writtenVariants } from '../../../functions/captions/caption-variants.ts';
import { PLATFORMS } from '../../../functions/channels/platform.ts';
import type { Edge } from '../../../local/edge/start-edge.ts';
import type { PolicyStatement } from '../../../local/service-model.ts';
import { KIT } from '../../captions/scripted-model.ts';
import { edgeModel } from './edge-model.ts';
import { stateDirectory, testEdge } from './edge-under-test.ts';

const PROFILE = 'arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.small';
const modelIn = (region: string) => `arn:aws:bedrock:${region}::foundation-model/anthropic.small`;
const allow = (Resource: string[], Condition?: PolicyStatement['Condition']): PolicyStatement => ({
  ...{ Effect: 'Allow', Action: ['bedrock:InvokeModel'], Resource },
  ...(Condition && { Condition }),
});
const REGIONS = ['us-east-1', 'us-east-2', 'us-west-2'];
const throughProfile = { StringEquals: { 'bedrock:InferenceProfileArn': PROFILE } };

const directory = stateDirectory();
let edge: Edge;
beforeAll(async () => {
  edge = await testEdge({
    stateDirectory: directory.path,
    model: edgeModel([allow([PROFILE]), allow(REGIONS.map(modelIn), throughProfile)]),
  });
});
beforeEach(() => {
  edge.modelScript.clear();
  edge.faults.clear();
});
afterAll(async () => {
  await edge.stop();
  directory.remove();
});

const ask = (
  caption: string,
  {
    on = edge,
    modelId = 'us.anthropic.small',
    output = 'json_schema' as 'json_schema' | 'tool',
    platforms = [...PLATFORMS],
    withinMs = 5000,
  } = {},
) => {
  const client = new BedrockRuntimeClient({
    endpoint: on.endpoint,
    region: 'us-east-1',
    credentials: on.credentialsFor('CreatePost'),
    maxAttempts: 1,
    requestHandler: new NodeHttpHandler(),
  });
  const request = captionPrompt({ kit: KIT, caption, platforms, problems: new Map() });
  return bedrockCaptionModel(client, { modelId, output }, () => 0)(request, withinMs);
};
const variantsOf = async (reply: ReturnType<typeof ask>) => {
  const ended = await reply;
  return writtenVariants(ended.outcome === 'answered' ? ended.value : undefined);
};

describe('the stand-in for a language model', () => {
  it.each(['json_schema', 'tool'] as const)('writes what can be posted, asked by %s', async (output) => {
    for (const caption of ['Rye bread', '🥖'.repeat(5000), '<b>bread</b> > cake. Come', 'rye\u2028bread']) {
      const written = await variantsOf(ask(caption, { output }));

      expect([...(written?.keys() ?? [])].toSorted()).toEqual([...PLATFORMS].toSorted());
      for (const variant of written?.values() ?? []) expect(problemOf(variant)).toBeUndefined();
    }
  });

  it('reports usage, which grows with the text', async () => {
    const usageOf = async (caption: string) => {
      const reply = await ask(caption);
      return reply.outcome === 'answered' ? reply.usage : expect.fail();
    };

    const [short, long] = [await usageOf('bread'), await usageOf('bread '.repeat(500))];

    expect(short.outputTokens).toBeGreaterThan(0);
    expect(long.inputTokens).toBeGreaterThan(short.inputTokens);
    expect(long.outputTokens).toBeGreaterThan(short.outputTokens);
  });

  it('can be told to skip, to overrun and to babble, for some platforms, captions and times', async () => {
    edge.modelScript.add([
      { reply: 'skip', platforms: ['tiktok'], caption_includes: 'rye', times: 1 },
      { reply: 'overlong', platforms: ['tiktok'], caption_includes: 'rye', times: 1 },
      { reply: 'garbage', caption_includes: 'rye', times: 1 },
    ]);

    expect((await variantsOf(ask('wheat')))?.size).toBe(PLATFORMS.length);
    expect((await variantsOf(ask('rye')))?.has('tiktok')).toBe(false);
    expect((await variantsOf(ask('rye')))?.get('tiktok')?.caption).toHaveLength(2201);
    expect(await variantsOf(ask('rye'))).toBeUndefined();
    expect(edge.modelScript.list().map(({ hits }) => hits)).toEqual([1, 1, 1]);
  });

  it('is throttled and slow by faults, as every service', async () => {
    edge.faults.set([{ service: 'bedrock', fault: 'throttle', times: 1 }]);
    expect(await ask('rye')).toMatchObject({ outcome: 'answered' });

    edge.faults.set([{ service: 'bedrock', fault: 'delay', delay_ms: 500 }]);
    expect(await ask('rye', { withinMs: 100 })).toEqual({ outcome: 'failed', reason: 'no answer in time' });
  });
});

describe('Bedrock itself, behind the edge', () => {
  it('gets calls as they came, with the credentials of the shell, and its answers go back', async () => {
    const { accessKeyId, secretAccessKey } = edge.credentialsFor('operator');
    vi.stubEnv('AWS_ENDPOINT_URL_BEDROCK_RUNTIME', edge.endpoint);
    vi.stubEnv('AWS_ACCESS_KEY_ID', accessKeyId);
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', secretAccessKey);
    const relay = await testEdge({
      ...{ stateDirectory: directory.path, captionModel: 'bedrock' },
      model: edgeModel([allow([PROFILE]), allow(REGIONS.map(modelIn), throughProfile)]),
    });

    expect(await ask('rye', { on: relay })).toMatchObject({
      outcome: 'answered',
      usage: { inputTokens: expect.any(Number) },
    });
    edge.faults.set([{ service: 'bedrock', fault: 'error-5xx' }]);
    expect(await ask('rye', { on: relay })).toEqual({ outcome: 'failed', reason: 'InternalServerException' });

    await relay.stop();
    vi.unstubAllEnvs();
  });
});

describe('permission to call a model', () => {
  it.each<[string, readonly PolicyStatement[], string]>([
    ['the profile', [allow(REGIONS.map(modelIn), throughProfile)], PROFILE],
    [
      'a region of the profile',
      [allow([PROFILE]), allow(REGIONS.slice(1).map(modelIn))],
      modelIn('us-east-1'),
    ],
  ])('is refused without %s', async (_, statements, missing) => {
    const narrow = await testEdge({ stateDirectory: directory.path, model: edgeModel(statements) });

    await expect(ask('rye', { on: narrow })).rejects.toMatchObject({
      name: 'AccessDeniedException',
      message: expect.stringContaining(missing),
    });
    await narrow.stop();
  });

  it.each(['anthropic.small', 'us.anthropic.large', 'eu.anthropic.small'])(
    'is not given for %s, past the profile or for another',
    async (modelId) => {
      await expect(ask('rye', { modelId })).rejects.toMatchObject({ name: 'AccessDeniedException' });
    },
  );
});
