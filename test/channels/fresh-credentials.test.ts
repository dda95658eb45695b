import { describe, expect, it } from 'vitest';
import { CHANNEL_STATUSES, type ChannelRow } from '../../functions/channels/channel.ts';
import { CHANNEL_EVENTS, type ChannelEvent } from '../../functions/channels/channel-states.ts';
import { readChannel } from '../../functions/channels/channel-store.ts';
import {
  freshCredentials,
  type Refresh,
  type Refreshed,
} from '../../functions/channels/fresh-credentials.ts';
import { moveChannel } from '../../functions/channels/move-channel.ts';
import { newId } from '../../functions/shared/ids.ts';
import { keys, nameOf } from '../../functions/shared/table/keys.ts';
import { tableUnderTest } from '../table-under-test.ts';

const under = tableUnderTest();

/** A vault that seals nothing, so that what was stored can be read. */
const vault = {
  seal: async (credentials: unknown) => new Uint8Array(Buffer.from(JSON.stringify(credentials))),
  open: async (sealed: Uint8Array) => JSON.parse(Buffer.from(sealed).toString('utf8')),
};

interface Token {
  readonly access_token: string;
  readonly isExpired?: boolean;
}

const needs = (clock = Date.now) => ({ table: under.table, vault, clock });

async function channelWith(token: Token, more: Partial<ChannelRow> = {}): Promise<ChannelRow> {
  const [workspace_id, id] = [newId(Date.now()), newId(Date.now())];
  const row = {
    ...{ id, workspace_id, platform: 'tiktok', display_name: 'C', avatar_url: null, status: 'active' },
    ...{ business_id: id, business_name: 'B', created_at: new Date().toISOString() },
    credentials: await vault.seal(token),
    ...more,
  };
  await under.table.commit([{ Put: { Item: { ...keys.channel(workspace_id, id), ...row } } }]);
  return readChannel(row);
}

async function stored({ workspace_id, id }: ChannelRow): Promise<ChannelRow & { token?: Token }> {
  const key = keys.channel(workspace_id, id);
  const row = readChannel((await under.table.get([key])).get(nameOf(key)) ?? {});
  return { ...row, token: row.credentials && (await vault.open(row.credentials)) };
}

/** A platform that rotates its tokens: only the newest one is good. */
function rotating(answer: (n: number) => Refreshed | Promise<Refreshed> = renewed) {
  let calls = 0;
  const refresh: Refresh = {
    isDue: (credentials) => (credentials as Token).isExpired === true,
    refresh: async () => {
      calls += 1;
      const n = calls;
      await new Promise((resolve) => setTimeout(resolve, 20));
      return answer(n);
    },
  };
  return { refresh, calls: () => calls };
}

const renewed = (n: number): Refreshed => ({
  outcome: 'refreshed',
  credentials: { access_token: `token-${n}` },
});
const EXPIRED: Token = { access_token: 'token-0', isExpired: true };

describe('freshCredentials', () => {
  it.each([false, true])(
    'refreshes once for 50 workers, and all get what came of it (refused: %s)',
    async (refused) => {
      const channel = await channelWith(refused ? { access_token: 'token-0' } : EXPIRED);
      const { refresh, calls } = rotating();

      const all = await Promise.all(
        Array.from({ length: 50 }, () => freshCredentials(channel, { refresh, refused }, needs())),
      );

      expect(calls()).toBe(1);
      for (const fresh of all) {
        expect(fresh).toMatchObject({ outcome: 'open', credentials: { access_token: 'token-1' } });
      }
      expect((await stored(channel)).token).toEqual({ access_token: 'token-1' });
    },
  );

  it('leaves credentials and channel alone when a refresh fails, and works with them while they hold', async () => {
    const channel = await channelWith(EXPIRED);
    const { refresh } = rotating(() => ({ outcome: 'failed', code: 'http_500' }));

    const early = await freshCredentials(channel, { refresh, refused: false }, needs());
    const refused = await freshCredentials(channel, { refresh, refused: true }, needs());

    expect(early).toMatchObject({ outcome: 'open', credentials: EXPIRED });
    expect(refused).toEqual({ outcome: 'failed', code: 'http_500' });
    expect(await stored(channel)).toMatchObject({ status: 'active', token: EXPIRED });
  });

  it('moves the channel only when the platform says that the grant is gone', async () => {
    const channel = await channelWith(EXPIRED);
    const gone = { outcome: 'gone', event: 'access_revoked', code: 'invalid_grant' } as const;

    const fresh = await freshCredentials(
      channel,
      { refresh: rotating(() => gone).refresh, refused: false },
      needs(),
    );

    expect(fresh).toEqual({ outcome: 'gone', code: 'invalid_grant' });
    expect(await stored(channel)).toMatchObject({ status: 'revoked', token: EXPIRED });
  });

  it('keeps what a refresh brought although its lease was lost, when nobody wrote since', async () => {
    const channel = await channelWith(EXPIRED);
    let later: ReturnType<typeof freshCredentials> | undefined;
    const inAMinute = () => Date.now() + 60_000;
    const slow = rotating(async () => {
      // The second worker takes the lease over, and hears that the old token is used up.
      const used = rotating(async () => ({ outcome: 'gone', event: 'token_expired', code: 'used' }));
      later = freshCredentials(channel, { refresh: used.refresh, refused: false }, needs(inAMinute));
      await later;
      return renewed(1);
    });

    const first = await freshCredentials(channel, { refresh: slow.refresh, refused: false }, needs());

    expect(await later).toEqual({ outcome: 'gone', code: 'used' });
    expect(first).toMatchObject({ outcome: 'open', credentials: { access_token: 'token-1' } });
    expect(await stored(channel)).toMatchObject({ status: 'active', token: { access_token: 'token-1' } });
  });

  it('never writes an older refresh over a newer one', async () => {
    const channel = await channelWith(EXPIRED);
    const inAMinute = () => Date.now() + 60_000;
    const slow = rotating(async () => {
      const newer = rotating(() => renewed(2));
      await freshCredentials(channel, { refresh: newer.refresh, refused: false }, needs(inAMinute));
      return renewed(1);
    });

    const first = await freshCredentials(channel, { refresh: slow.refresh, refused: false }, needs());

    expect(first).toMatchObject({ outcome: 'open', credentials: { access_token: 'token-2' } });
    expect((await stored(channel)).token).toEqual({ access_token: 'token-2' });
  });
});

describe('moveChannel', () => {
  const events = Object.keys(CHANNEL_EVENTS) as ChannelEvent[];

  it.each(events)('does on %s what the table of events says, in every state', async (event) => {
    for (const status of CHANNEL_STATUSES) {
      const channel = await channelWith({ access_token: 'token-0' }, { status });

      const moved = await moveChannel(under.table, channel, event);

      const { from, to } = CHANNEL_EVENTS[event];
      const isKnown = from.some((each) => each === status);
      expect(moved?.status).toBe(isKnown ? to : undefined);
      expect((await stored(channel)).status).toBe(isKnown ? to : status);
    }
  });

  it('ignores what is said of a connection that is another by now', async () => {
    const channel = await channelWith({ access_token: 'token-0' });
    const sealed = await vault.seal({ access_token: 'token-1' });
    await moveChannel(under.table, channel, 'token_refreshed', { credentials: sealed, fence: 0 });

    expect(await moveChannel(under.table, channel, 'token_expired')).toBeUndefined();
    expect((await stored(channel)).status).toBe('active');
  });
});
