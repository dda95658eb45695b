import { tailorCaptionsOperation } from '../captions/tailor-captions.ts';
import { listChannelsOperation } from '../channels/list-channels.ts';
import { createMediaOperation } from '../media/create-media.ts';
import { createUploadUrlOperation } from '../media/create-upload-url.ts';
import { getMediaOperation } from '../media/get-media.ts';
import { listMediaOperation } from '../media/list-media.ts';
import { createDraftOperation } from '../posts/create-draft.ts';
import { createPostOperation } from '../posts/create-post.ts';
import { deletePostOperation } from '../posts/delete-post.ts';
import { getPostOperation } from '../posts/get-post.ts';
import { listPostsOperation } from '../posts/list-posts.ts';
import { updatePostOperation } from '../posts/update-post.ts';
import { listAttemptsOperation } from '../publishing/list-attempts.ts';
import type { Operation } from '../shared/http/operation.ts';
import { listWorkspacesOperation } from '../workspaces/list-workspaces.ts';

/** Every endpoint a key is for, in the order they are documented. A test holds it against the routes. */
export const OPERATIONS: readonly Operation[] = [
  createPostOperation,
  createDraftOperation,
  listPostsOperation,
  getPostOperation,
  updatePostOperation,
  deletePostOperation,
  listAttemptsOperation,
  createMediaOperation,
  createUploadUrlOperation,
  listMediaOperation,
  getMediaOperation,
  tailorCaptionsOperation,
  listChannelsOperation,
  listWorkspacesOperation,
];
