import { randomUUID } from 'node:crypto';
import type { Caller } from '../../functions/access/authenticate.ts';
import { channelStore } from '../../functions/channels/channel-store.ts';
import type { Platform } from '../../functions/channels/platform.ts';
import { createPost, type WritePostNeeds } from '../../functions/posts/create-post.ts';
import { deletePost } from '../../functions/posts/delete-post.ts';
import { dispatch } from '../../functions/posts/dispatch.ts';
import type { CreatePostRequest, UpdatePostRequest } from '../../functions/posts/post-request.ts';
import { postStore } from '../../functions/posts/post-store.ts';
import { updatePost } from '../../functions/posts/update-post.ts';
import { isoAt } from '../../functions/shared/clock.ts';
import type { HttpReply } from '../../functions/shared/http/http-handler.ts';
import { idempotentRequest } from '../../functions/shared/idempotency/idempotent-request.ts';
import { newId } from '../../functions/shared/ids.ts';
import type { ServiceTable } from '../../functions/shared/table/service-table.ts';
import { createWorkspace } from '../../functions/workspaces/create-workspace.ts';
import { workspaceStore } from '../../functions/workspaces/workspace-store.ts';
import type { Through } from '../crashing-calls.ts';

const direct: Through = (port) => port;
const idle = { send: async () => {}, sendAll: async () => {} };
const idleScheduler = { schedule: async () => {}, cancel: async () => {} };

/** The use cases that write posts, for a workspace of their own in a table; what they send goes nowhere. */
export async function postService(
  table: ServiceTable,
  { channels = 1, platform = 'meta_facebook' }: { channels?: number; platform?: Platform } = {},
) {
  const clock = Date.now;
  const workspaces = workspaceStore(table);
  const { id: workspaceId } = await createWorkspace({ name: 'of a test' }, { workspaces, clock, newId });
  const channelIds = await Promise.all(Array.from({ length: channels }, () => newChannel()));
  async function newChannel(): Promise<string> {
    const id = newId(clock());
    const names = { display_name: 'of a test', avatar_url: null, business_name: 'Default' };
    await channelStore(table).create({
      ...{ id, workspace_id: workspaceId, platform, status: 'active', business_id: workspaceId },
      ...{ ...names, created_at: isoAt(clock()) },
    });
    return id;
  }

  const needsOf = (through: Through): WritePostNeeds => ({
    table: through(table),
    dispatch: dispatch({ dueQueue: through(idle), scheduler: through(idleScheduler) }),
    fetchQueue: through(idle),
    urls: {
      getUrl: () => Promise.reject(new Error('no URL is looked at')),
      ...{ ownHosts: [], clock, newUploadId: () => '' },
    },
    ...{ clock, newId, reviewUrl: 'https://review.test', upgradeUrl: 'https://upgrade.test' },
  });
  const caller = { workspaceId } as Caller;
  const callOf = (of: { key: string; method: string; path: string; body?: object }) => ({
    caller,
    query: undefined,
    request: idempotentRequest({ workspaceId, body: undefined, ...of }),
  });

  return {
    workspaceId,
    channelIds,
    newChannel,
    find: (id: string) => postStore(table).find(workspaceId, id),
    async create(body: CreatePostRequest, key = randomUUID(), through = direct): Promise<HttpReply> {
      const call = callOf({ key, method: 'POST', path: '/posts', body });
      return createPost({ ...call, params: undefined, body }, needsOf(through));
    },
    async update(
      id: string,
      body: UpdatePostRequest,
      key = randomUUID(),
      through = direct,
    ): Promise<HttpReply> {
      const call = await callOf({ key, method: 'PATCH', path: `/posts/${id}`, body });
      return updatePost({ ...call, params: { id }, body }, needsOf(through));
    },
    async remove(id: string, key = randomUUID(), through = direct): Promise<HttpReply> {
      const call = await callOf({ key, method: 'DELETE', path: `/posts/${id}` });
      return deletePost({ ...call, params: { id }, body: undefined }, needsOf(through));
    },
  };
}
