import {
  BedrockRuntimeServiceException,
  ConverseCommand,
  type ConverseCommandInput,
} from '@aws-sdk/client-bedrock-runtime';
import { bedrockClient } from '../../../functions/shared/aws-clients.ts';
import { AwsError } from '../aws-error.ts';
import { type Json, listOf, objectOf, textOf } from '../json.ts';
import type { ModelScript } from './model-script.ts';
import { writeByRules } from './rule-writer.ts';

/** Answers one Converse request: the body that came, and the body to go back. */
export type Converse = (call: {
  readonly modelId: string;
  readonly region: string;
  readonly input: Json;
}) => Promise<Json>;

const BYTES_PER_TOKEN = 4;

/** Converse by rules, in the shape asked for: text that is JSON, or the input of a tool. */
export function converseByRules(script: ModelScript): Converse {
  return async ({ input }) => {
    const said = [...listOf(input.system), ...listOf(objectOf(listOf(input.messages)[0]).content)];
    const prompt = said.map((block) => textOf(objectOf(block).text)).join('\n');
    const written = writeByRules(prompt, script);
    const [tool] = listOf(objectOf(input.toolConfig).tools);
    const name = textOf(objectOf(objectOf(tool).toolSpec).name);
    const isTool = name !== '' && written !== undefined;
    const content = isTool
      ? { toolUse: { toolUseId: 'tooluse_local', name, input: written } }
      : { text: written === undefined ? 'Sure, here are your captions!' : JSON.stringify(written) };
    const tokens = (value: unknown) => Math.ceil(Buffer.byteLength(JSON.stringify(value)) / BYTES_PER_TOKEN);
    const [inputTokens, outputTokens] = [tokens(input), tokens(content)];
    return {
      output: { message: { role: 'assistant', content: [content] } },
      stopReason: isTool ? 'tool_use' : 'end_turn',
      usage: { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens },
      metrics: { latencyMs: 1 },
    };
  };
}

/** Converse by Amazon Bedrock itself, with the AWS credentials of whoever started the service. */
export function converseByBedrock(): Converse {
  return async ({ modelId, region, input }) => {
    const client = bedrockClient(region);
    try {
      // It came from the same SDK, and what Bedrock thinks of it Bedrock will say.
      const request = { ...input, modelId } as unknown as ConverseCommandInput;
      const { $metadata, ...answer } = await client.send(new ConverseCommand(request));
      return answer;
    } catch (error) {
      if (!(error instanceof BedrockRuntimeServiceException)) throw error;
      throw new AwsError(error.name, error.message, error.$metadata.httpStatusCode ?? 500);
    } finally {
      client.destroy();
    }
  };
}
