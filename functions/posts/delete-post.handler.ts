import { writeEndpoint } from '../access/endpoint.ts';
import { readEnv } from '../shared/read-env.ts';
import { deletePost, deletePostOperation } from './delete-post.ts';
import { WritePostsEnv } from './env.ts';
import { writePostNeeds } from './write-post-needs.ts';

const needs = writePostNeeds(readEnv(WritePostsEnv));

export const handler = writeEndpoint(deletePostOperation, needs, (call) => deletePost(call, needs));
