import type { ServiceModel } from '../../service-model.ts';
import { unknownOperation } from '../aws-error.ts';
import type { Converse } from '../bedrock/converse.ts';
import type { EdgeCall, EdgeService, Need } from '../call.ts';
import { scopeOfHeader } from '../sigv4.ts';
import { jsonAnswer, jsonRefusal } from './json-protocol.ts';

const CONTENT_TYPE = 'application/json';
const PATH = /^\/model\/([^/]+)\/converse$/;

/** Where inference profiles may run a model; others are judged by the region they are called in alone. */
const REGIONS: Readonly<Record<string, readonly string[]>> = {
  us: ['us-east-1', 'us-east-2', 'us-west-2'],
};

/** Bedrock's Converse: permissions as Bedrock judges them, answers from whoever is behind. */
export function bedrock({ accountId }: ServiceModel, converse: Converse): EdgeService {
  return {
    streams: false,
    throttled: { code: 'ThrottlingException', status: 429 },
    broken: { code: 'InternalServerException', status: 500 },
    operation: ({ method }, path) => {
      if (method === 'POST' && PATH.test(path)) return 'Converse';
      throw unknownOperation('bedrock', `${method} ${path}`);
    },
    refusal: jsonRefusal('', CONTENT_TYPE),
    needs: (call) => {
      const { modelId, region } = addressed(call);
      const [, profile = '', model = modelId] = /^([a-z]+(?:-gov)?)\.(.+\..+)$/.exec(modelId) ?? [];
      const action = 'bedrock:InvokeModel';
      const runsIn = (where: string, context?: Need['context']): Need => ({
        ...{ action, resource: `arn:aws:bedrock:${where}::foundation-model/${model}` },
        ...(context && { context }),
      });
      if (profile === '') return [runsIn(region)];
      // Through a profile, both it and the model in each of its regions must be allowed.
      const resource = `arn:aws:bedrock:${region}:${accountId}:inference-profile/${modelId}`;
      const context = { 'bedrock:InferenceProfileArn': [resource] };
      return [{ action, resource }, ...(REGIONS[profile] ?? [region]).map((where) => runsIn(where, context))];
    },
    perform: async (call) =>
      jsonAnswer(await converse({ ...addressed(call), input: call.input }), CONTENT_TYPE),
  };
}

function addressed({ path, request }: EdgeCall): { modelId: string; region: string } {
  const [, modelId = ''] = PATH.exec(path) ?? [];
  return { modelId: decodeURIComponent(modelId), region: scopeOfHeader(request)?.region ?? '' };
}
