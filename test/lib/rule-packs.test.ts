import { type App, Stack } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { describe, expect, it } from 'vitest';
import { noBundles } from '../../lib/constructs/bundles.ts';
import { permit } from '../../lib/constructs/permission.ts';
import { addRulePacks } from '../../lib/constructs/rule-packs.ts';
import { ServiceStack } from '../../lib/service-stack.ts';
import { STAGES } from '../../lib/stages.ts';
import { quickApp } from './synthesized.ts';

function checkedApp(): App {
  const app = quickApp();
  addRulePacks(app);
  return app;
}

describe('the rule packs', () => {
  it.each(Object.values(STAGES))('find nothing unacknowledged in stage $name', (stage) => {
    const app = checkedApp();
    new ServiceStack(app, 'Service', { stage, bundles: noBundles });

    expect(() => app.synth()).not.toThrow();
  });

  it('fail the synthesis of a stack with a finding, and name it', () => {
    const app = checkedApp();
    new Bucket(new Stack(app, 'Careless'), 'Bucket');

    expect(() => app.synth()).toThrow('AwsSolutions-S10');
  });

  it('fail when a role is permitted a pattern without a reason', () => {
    const app = checkedApp();
    const role = new Role(new Stack(app, 'Careless'), 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    });
    const statement = () =>
      new PolicyStatement({ actions: ['s3:GetObject'], resources: ['arn:aws:s3:::any/*'] });
    permit(role, [{ statement: statement() }]);

    expect(() => app.synth()).toThrow('AwsSolutions-IAM5[Resource::arn:aws:s3:::any/*]');
  });

  it('fail when a function is permitted everything, whatever is acknowledged for its traces', () => {
    const app = checkedApp();
    const stage = STAGES.dev;
    if (!stage) throw new Error('no stage dev');
    const stack = new ServiceStack(app, 'Service', { stage, bundles: noBundles });
    const role = stack.node.findChild('Posts').node.findChild('GetPost').node.findChild('Role');
    if (!(role instanceof Role)) throw new Error('GetPost has no role');
    role.addToPrincipalPolicy(new PolicyStatement({ actions: ['s3:*'], resources: ['*'] }));

    expect(() => app.synth()).toThrow(
      /AwsSolutions-IAM5\[Action::s3:\*\].*AwsSolutions-IAM5\[Resource::\*\]/s,
    );
  });
});
