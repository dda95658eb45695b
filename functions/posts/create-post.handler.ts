import { writeEndpoint } from '../access/endpoint.ts';
import { readEnv } from '../shared/read-env.ts';
import { createPost, createPostOperation } from './create-post.ts';
import { WritePostsEnv } from './env.ts';
import { writePostNeeds } from './write-post-needs.ts';

const needs = writePostNeeds(readEnv(WritePostsEnv));

export const handler = writeEndpoint(createPostOperation, needs, (call) => createPost(call, needs));
