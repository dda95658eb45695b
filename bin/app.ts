import { App } from 'aws-cdk-lib';
import { CURRENTLY_RECOMMENDED_FLAGS } from 'aws-cdk-lib/cx-api';
import { esbuildBundles } from '../lib/constructs/bundles.ts';
import { addRulePacks } from '../lib/constructs/rule-packs.ts';
import { ServiceStack } from '../lib/service-stack.ts';
import { STAGES, stageNamed } from '../lib/stages.ts';

/**
 * What `cdk` runs; `-c stage=production` chooses the stage, and the default is dev. The flags are those of a
 * new project, set here and not in cdk.json so that a synthesis without the CLI gives the same template.
 */
const app = new App({ context: { ...CURRENTLY_RECOMMENDED_FLAGS } });
const name = String(app.node.tryGetContext('stage') ?? 'dev');
const stage = stageNamed(name);
if (!stage) {
  console.error(`there is no stage "${name}"; choose one of: ${Object.keys(STAGES).join(', ')}`);
  process.exit(1);
}
addRulePacks(app);
new ServiceStack(app, `SocialPosts-${stage.name}`, {
  stage,
  bundles: esbuildBundles(`${import.meta.dirname}/..`, {
    hasNativePackages: app.node.tryGetContext('natives') !== 'omitted',
  }),
});
app.synth();
