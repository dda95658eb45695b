import { Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import type { TailorCaptionsEnv } from '../../functions/captions/env.ts';
import type { EnvOf } from '../../functions/shared/read-env.ts';
import { Endpoint } from '../constructs/endpoint.ts';
import type { Permission } from '../constructs/permission.ts';
import type { CaptionModel, Stage } from '../stages.ts';
import { authenticate, type Service, WORKSPACE_ROWS } from './service.ts';

interface CaptionsProps extends Service {
  readonly stage: Stage;
}

/** Captions rewritten by a language model. */
export class Captions extends Construct {
  constructor(scope: Construct, id: string, { stage, ...service }: CaptionsProps) {
    super(scope, id);
    const { table } = service;
    const { captionModel: model } = stage;
    new Endpoint<EnvOf<typeof TailorCaptionsEnv>>(this, 'TailorCaptions', {
      ...service,
      route: 'POST /captions/tailor',
      entry: 'captions/tailor-captions',
      environment: {
        SERVICE_TABLE: table.name,
        UPGRADE_URL: stage.upgradeUrl,
        CAPTION_MODEL_ID: profileOf(model),
        CAPTION_MODEL_REGION: model.calledIn,
        CAPTION_MODEL_OUTPUT: model.output,
        CAPTION_INPUT_CENTS_PER_MILLION_TOKENS: String(model.inputCentsPerMillionTokens),
        CAPTION_OUTPUT_CENTS_PER_MILLION_TOKENS: String(model.outputCentsPerMillionTokens),
      },
      permissions: [
        authenticate(table),
        table.read(WORKSPACE_ROWS),
        table.write(WORKSPACE_ROWS, 'UpdateItem'),
        ...this.invoke(model),
      ],
    });
  }

  /** Permission to call the one model, and that through its inference profile alone (Bedrock user guide). */
  private invoke(model: CaptionModel): readonly Permission[] {
    const stack = Stack.of(this);
    const actions = ['bedrock:InvokeModel'];
    const profile = stack.formatArn({
      service: 'bedrock',
      region: model.calledIn,
      resource: 'inference-profile',
      resourceName: profileOf(model),
    });
    const models = model.runsIn.map((region) =>
      stack.formatArn({
        service: 'bedrock',
        region,
        account: '',
        resource: 'foundation-model',
        resourceName: model.modelId,
      }),
    );
    return [
      { statement: new PolicyStatement({ actions, resources: [profile] }) },
      {
        statement: new PolicyStatement({
          actions,
          resources: models,
          conditions: { StringEquals: { 'bedrock:InferenceProfileArn': profile } },
        }),
      },
    ];
  }
}

const profileOf = ({ profile, modelId }: CaptionModel): string => `${profile}.${modelId}`;
