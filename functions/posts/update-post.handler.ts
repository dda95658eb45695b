import { writeEndpoint } from '../access/endpoint.ts';
import { readEnv } from '../shared/read-env.ts';
import { WritePostsEnv } from './env.ts';
import { updatePost, updatePostOperation } from './update-post.ts';
import { writePostNeeds } from './write-post-needs.ts';

const needs = writePostNeeds(readEnv(WritePostsEnv));

export const handler = writeEndpoint(updatePostOperation, needs, (call) => updatePost(call, needs));
