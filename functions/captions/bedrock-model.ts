import { setTimeout as sleep } from 'node:timers/promises';
import {
  type BedrockRuntimeClient,
  BedrockRuntimeServiceException,
  ConverseCommand,
  type ConverseCommandInput,
  type ConverseCommandOutput,
} from '@aws-sdk/client-bedrock-runtime';
import { logger } from '../shared/telemetry.ts';
import type { CaptionModel } from './caption-model.ts';
import { WRITTEN_VARIANTS_SCHEMA } from './caption-variants.ts';

/** A model on Amazon Bedrock, and how it is held to the shape of its answers. */
export interface BedrockModel {
  readonly modelId: string;
  /** `tool` is for models without structured output: the answer is then the input of a tool they must call. */
  readonly output: 'json_schema' | 'tool';
}

const OUTPUT_NAME = 'variants';

/** Refusals for lack of capacity, which are over in a moment and are not billed. */
const BUSY = new Set(['ThrottlingException', 'ModelNotReadyException', 'ServiceUnavailableException']);
/** Failures of the model that Bedrock answers with a client's status. */
const OF_THE_MODEL = new Set([...BUSY, 'ModelTimeoutException', 'ModelErrorException']);

const LONGEST_WAIT_MS = 1000;

/**
 * A caption model over Bedrock's Converse API. A call refused for lack of capacity is made once more.
 *
 * @throws {BedrockRuntimeServiceException} when the fault is ours: no permission, no such model, a bad request.
 */
export function bedrockCaptionModel(
  client: BedrockRuntimeClient,
  { modelId, output }: BedrockModel,
  random: () => number = Math.random,
): CaptionModel {
  return async (request, withinMs) => {
    const command = new ConverseCommand({
      modelId,
      system: [{ text: request.system }],
      messages: [{ role: 'user', content: request.user.map((text) => ({ text })) }],
      inferenceConfig: { maxTokens: request.maxOutputTokens },
      ...SHAPE[output],
    });
    const abortSignal = AbortSignal.timeout(withinMs);
    const send = () => client.send(command, { abortSignal });
    try {
      const answer = await send().catch(async (error: unknown) => {
        if (!(error instanceof BedrockRuntimeServiceException && BUSY.has(error.name))) throw error;
        await sleep(LONGEST_WAIT_MS * (0.5 + random() / 2), undefined, { signal: abortSignal });
        return send();
      });
      const { inputTokens = 0, outputTokens = 0 } = answer.usage ?? {};
      return { outcome: 'answered', value: jsonIn(answer), usage: { inputTokens, outputTokens } };
    } catch (error) {
      const reason = reasonOf(error);
      if (reason === undefined) throw error;
      logger.warn('the caption model failed', { reason });
      return { outcome: 'failed', reason };
    }
  };
}

const SHAPE: Record<BedrockModel['output'], Partial<ConverseCommandInput>> = {
  json_schema: {
    outputConfig: {
      textFormat: {
        type: 'json_schema',
        structure: { jsonSchema: { name: OUTPUT_NAME, schema: JSON.stringify(WRITTEN_VARIANTS_SCHEMA) } },
      },
    },
  },
  tool: {
    toolConfig: {
      tools: [
        {
          toolSpec: {
            name: OUTPUT_NAME,
            description: 'Takes the variants you have written.',
            inputSchema: { json: WRITTEN_VARIANTS_SCHEMA },
          },
        },
      ],
      toolChoice: { tool: { name: OUTPUT_NAME } },
    },
  },
};

/** The answer's JSON, from whichever block holds it; undefined when there is none, or it was cut off. */
function jsonIn({ output }: ConverseCommandOutput): unknown {
  const blocks = output?.message?.content ?? [];
  const tool = blocks.find(({ toolUse }) => toolUse?.name === OUTPUT_NAME)?.toolUse;
  if (tool) return tool.input;
  try {
    return JSON.parse(blocks.map(({ text = '' }) => text).join(''));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Why a call failed, where that is the model's or the network's doing. */
function reasonOf(error: unknown): string | undefined {
  if (error instanceof BedrockRuntimeServiceException) {
    return error.$fault === 'server' || OF_THE_MODEL.has(error.name) ? error.name : undefined;
  }
  if (!(error instanceof Error)) return undefined;
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return 'no answer in time';
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
