import { randomUUID } from 'node:crypto';
import type { ServiceFile } from './service-file.ts';
import type { StateDirectory } from './state-directory.ts';

/** What the terminal shows once the service is ready; the command works as it is pasted, and again. */
export function bannerOf(service: ServiceFile, state: StateDirectory): string {
  const { base_url, inbox_url, workspaces } = service;
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
