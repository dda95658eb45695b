import { apiKeyStore } from '../access/api-key-store.ts';
import { readEndpoint } from '../access/endpoint.ts';
import { bedrockClient, dynamoClient } from '../shared/aws-clients.ts';
import { newId } from '../shared/ids.ts';
import { readEnv } from '../shared/read-env.ts';
import { dynamoTable } from '../shared/table/service-table.ts';
import { aiBudget } from './ai-budget.ts';
import { bedrockCaptionModel } from './bedrock-model.ts';
import { brandKitStore } from './brand-kit-store.ts';
import { TailorCaptionsEnv } from './env.ts';
import { tailorCaptions, tailorCaptionsOperation } from './tailor-captions.ts';

const env = readEnv(TailorCaptionsEnv);
const table = dynamoTable(dynamoClient(), env.SERVICE_TABLE);
const clock = Date.now;
const needs = {
  brandKits: brandKitStore(table),
  budget: aiBudget({ table, clock, newId, upgradeUrl: env.UPGRADE_URL }),
  model: bedrockCaptionModel(bedrockClient(env.CAPTION_MODEL_REGION), {
    modelId: env.CAPTION_MODEL_ID,
    output: env.CAPTION_MODEL_OUTPUT,
  }),
  prices: {
    inputCentsPerMillionTokens: env.CAPTION_INPUT_CENTS_PER_MILLION_TOKENS,
    outputCentsPerMillionTokens: env.CAPTION_OUTPUT_CENTS_PER_MILLION_TOKENS,
  },
  clock,
};

export const handler = readEndpoint(tailorCaptionsOperation, { apiKeys: apiKeyStore(table), clock }, (call) =>
  tailorCaptions(call, needs),
);
