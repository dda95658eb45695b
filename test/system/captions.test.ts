import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { runOperator } from '../../bin/operator/run-operator.ts';
import { PLATFORMS } from '../../functions/channels/platform.ts';
import type { ModelRule } from '../../local/edge/bedrock/model-script.ts';
import { type Answer, runningService } from './client.ts';

const { service, call } = runningService();
const tailor = (body: unknown, key = service.workspaces[0]?.api_keys.full): Promise<Answer> =>
  call('POST', '/captions/tailor', { body, ...(key && { key }), idempotencyKey: null });

/** Scripts the stand-in for one caption of its own, which other tests do not use. */
async function scripted(rules: readonly Omit<ModelRule, 'caption_includes'>[]): Promise<string> {
  const caption = `Rye bread ${randomUUID()}`;
  await fetch(`${service.edge_url}/__edge/model`, {
    method: 'POST',
    body: JSON.stringify(rules.map((rule) => ({ ...rule, caption_includes: caption }))),
  });
  return caption;
}

async function operator(...args: readonly string[]) {
  const printed: string[] = [];
  const complaints: string[] = [];
  const code = await runOperator([...args, '--json'], {
    stateDirectory: inject('stateDirectory'),
    print: (text) => printed.push(text),
    complain: (line) => complaints.push(line),
  });
  return { code, complaints, printed: printed[0] === undefined ? undefined : JSON.parse(printed[0]) };
}

/** A workspace of this test's own. */
async function newWorkspace(budgetCents: number): Promise<{ id: string; key: string }> {
  const { id } = (await operator('create-workspace', '--name', 'Captions')).printed;
  await operator('set-plan', '--workspace', id, '--ai-budget-cents', String(budgetCents));
  const { api_key } = (await operator('create-key', '--workspace', id, '--scopes', 'posts:write')).printed;
  return { id, key: api_key };
}

const kitFile = (kit: unknown): string => {
  const path = join(inject('stateDirectory'), `kit-${randomUUID()}.json`);
  writeFileSync(path, JSON.stringify(kit));
  return path;
};

describe('POST /captions/tailor', () => {
  it('answers a variant for each platform in the order asked, and needs no Idempotency-Key', async () => {
    const platforms = [...PLATFORMS].reverse();

    const { status, body } = await tailor({ caption: 'Rye bread. Fresh at seven.', platforms });

    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['variants']);
    expect(body.variants.map((each: { platform: string }) => each.platform)).toEqual(platforms);
    const [webhook, company] = body.variants;
    expect(webhook).toMatchObject({ character_limit: 5000, tailored: true });
    expect(company).toMatchObject({ character_limit: 3000, caption: expect.stringContaining('harbour') });
    const youtube = body.variants.find((each: { platform: string }) => each.platform === 'youtube');
    expect(youtube).toMatchObject({ title: 'Rye bread.', description: youtube.caption });
  });

  it('returns the base caption where the model skips or overruns twice', async () => {
    const caption = await scripted([
      { reply: 'skip', platforms: ['tiktok'], times: 1 },
      { reply: 'overlong', platforms: ['tiktok'], times: 1 },
    ]);

    const { body } = await tailor({ caption, platforms: ['tiktok', 'custom_webhook'] });

    expect(body.variants).toMatchObject([{ caption, tailored: false }, { tailored: true }]);
  });

  it('is an upstream_error when the model babbles twice, and good once it recovers', async () => {
    const caption = await scripted([{ reply: 'garbage', times: 2 }]);

    const first = await tailor({ caption, platforms: ['tiktok'] });
    const second = await tailor({ caption, platforms: ['tiktok'] });

    expect(first).toMatchObject({ status: 502, body: { error: { code: 'upstream_error' } } });
    expect(second.status).toBe(200);
  });

  it.each([
    ['an unknown platform', { caption: 'x', platforms: ['myspace'] }],
    ['a repeated platform', { caption: 'x', platforms: ['tiktok', 'tiktok'] }],
    ['no platforms', { caption: 'x' }],
    ['half a character', '{"caption":"\\ud83e","platforms":["tiktok"]}'],
    ['no JSON', 'caption=x'],
  ])('is refused with %s', async (_, body) => {
    expect(await tailor(body)).toMatchObject({ status: 400, body: { error: { code: 'invalid_request' } } });
  });

  it('needs the scope posts:write', async () => {
    const key = service.workspaces[0]?.api_keys.read_only;

    expect(await tailor({ caption: 'x', platforms: ['tiktok'] }, key)).toMatchObject({ status: 403 });
  });

  it('says that a workspace has no brand kit, until the operator sets one', async () => {
    const { id, key } = await newWorkspace(10);
    const body = { caption: 'Rye bread', platforms: ['custom_webhook'] };
    expect(await tailor(body, key)).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });

    const bad = await operator('set-brand-kit', '--workspace', id, '--file', kitFile({ voice: '' }));
    const file = kitFile({ voice: 'warm', sign_off: 'Yours.' });
    const set = await operator('set-brand-kit', '--workspace', id, '--file', file);

    expect(bad).toMatchObject({
      code: 1,
      complaints: [expect.stringContaining('voice must have at least 1')],
    });
    expect(set).toMatchObject({ code: 0, printed: { voice: 'warm', emoji_policy: 'sparing' } });
    expect((await tailor(body, key)).body.variants[0].caption).toBe('Rye bread\n\nYours.');
  });

  it('spends a budget, says so, and lets nothing in when it is used up', async () => {
    const { id, key } = await newWorkspace(0);
    await operator('set-brand-kit', '--workspace', id, '--file', kitFile({ voice: 'warm' }));
    const body = { caption: 'Rye bread', platforms: ['tiktok'] };
    const spent = async () =>
      (await call('GET', '/workspaces', { key })).body.data[0].usage.ai_spent_micro_dollars;

    const refused = await tailor(body, key);
    expect(refused).toMatchObject({ status: 402, body: { error: { code: 'quota_exceeded' } } });
    expect(refused.body.error.details).toEqual({
      used: 0,
      limit: 0,
      reset_at: expect.stringMatching(/-01T00:00:00\.000Z$/),
      upgrade_url: expect.stringMatching(/^https:/),
    });
    expect(await spent()).toBe(0);

    await operator('set-plan', '--workspace', id, '--ai-budget-cents', '1', '--requests-per-minute', '500');
    const calls = await Promise.all(Array.from({ length: 50 }, () => tailor(body, key)));

    // One call costs some 0.1 cents; what is held for it is more, so that few fit into a cent at once.
    const statuses = new Set(calls.map(({ status }) => status));
    expect(statuses).toEqual(new Set([200, 402]));
    const good = calls.filter(({ status }) => status === 200).length;
    const each = (await spent()) / good;
    expect(await spent()).toBeLessThanOrEqual(10_000 + each);
    expect(Number.isInteger(each)).toBe(true);
  });
});
