import { type App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';

/**
 * Holds all stacks of an app to cdk-nag's AwsSolutions and Serverless packs. A finding that is not
 * acknowledged, with its reason, beside the construct it concerns fails the synthesis.
 */
export function addRulePacks(app: App): void {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
}
