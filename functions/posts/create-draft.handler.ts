import { writeEndpoint } from '../access/endpoint.ts';
import { readEnv } from '../shared/read-env.ts';
import { createDraft, createDraftOperation } from './create-draft.ts';
import { WritePostsEnv } from './env.ts';
import { writePostNeeds } from './write-post-needs.ts';

const needs = writePostNeeds(readEnv(WritePostsEnv));

export const handler = writeEndpoint(createDraftOperation, needs, (call) => createDraft(call, needs));
