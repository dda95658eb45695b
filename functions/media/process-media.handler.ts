import { dynamoClient, s3Client } from '../shared/aws-clients.ts';
import { worker } from '../shared/queues/worker.ts';
import { readEnv } from '../shared/read-env.ts';
import { dynamoTable } from '../shared/table/service-table.ts';
import { ProcessMediaEnv } from './env.ts';
import { readFilm } from './films.ts';
import { imageThumbnails } from './images.ts';
import { ProcessMessage } from './media-messages.ts';
import { mediaObjectStore } from './media-object-store.ts';
import { mediaWork } from './media-work.ts';
import { processMedia } from './process-media.ts';

const env = readEnv(ProcessMediaEnv);
const needs = {
  work: mediaWork(dynamoTable(dynamoClient(), env.SERVICE_TABLE)),
  objects: mediaObjectStore(s3Client(), env.MEDIA_BUCKET),
  imageThumbnails,
  readFilm,
  clock: Date.now,
};

export const handler = worker(ProcessMessage, (message) => processMedia(message, needs));
