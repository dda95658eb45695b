import { randomUUID } from 'node:crypto';
import type { RunningService } from './service.ts';

const CAPTIONS: Record<RunningService['captionModel'], string> = {
  rules:
    'cut and signed by rules, not written by a model; CAPTION_MODEL=bedrock npm start uses your AWS account',
  bedrock: 'written by Amazon Bedrock, with the AWS credentials of this shell and at their cost',
};

/** What the terminal shows once the service is ready; the command works as it is pasted, and again. */
export function bannerOf(service: RunningService): string {
  const { base_url, inbox_url, platforms_url, workspaces, state } = service;
  const [workspace] = workspaces;
  const key = workspace?.api_keys.full ?? '';
  const channel = workspace?.channels.find(({ platform }) => platform === 'custom_webhook');
  const body = JSON.stringify({
    caption: 'Hello from my own machine',
    channels: [{ id: channel?.id }],
    publish_now: true,
  });
  return `
Social post publishing service, ready on ${new URL(base_url).origin}

  base URL   ${base_url}
  API key    ${key}
  inbox      ${inbox_url}/deliveries
  published  ${platforms_url}, what went out on the stand-ins for the social platforms
  captions   ${CAPTIONS[service.captionModel]}
  keys, logs ${state.at('service')}, ${state.at('logs')}

Publish a post to the webhook inbox:

  curl -X POST ${base_url}/posts \\
    -H 'Authorization: Bearer ${key}' \\
    -H "Idempotency-Key: ${randomUUID()}-$(date +%s)" \\
    -H 'Content-Type: application/json' \\
    -d '${body}'

and see it delivered, with its signature checked:

  curl ${inbox_url}/deliveries

Stop with Ctrl-C. The state stays; npm start -- --reset begins anew.
`;
}
