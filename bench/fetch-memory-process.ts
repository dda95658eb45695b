import { readFileSync } from 'node:fs';
import { S3Client } from '@aws-sdk/client-s3';
import { fetchMedia } from '../functions/media/fetch-media.ts';
import type { MediaRow } from '../functions/media/media.ts';
import { mediaObjectStore } from '../functions/media/media-object-store.ts';
import type { StepEnd } from '../functions/media/media-work.ts';
import { keys, nameOf } from '../functions/shared/table/keys.ts';
import type { ServiceTable } from '../functions/shared/table/service-table.ts';
import { DEFAULT_LIMITS } from '../functions/workspaces/workspace.ts';

const MB = 1024 * 1024;
const account = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'));
const client = new S3Client({
  region: account.region,
  endpoint: account.endpoint,
  credentials: { accessKeyId: account.access_key_id, secretAccessKey: account.secret_access_key },
  forcePathStyle: true,
  requestChecksumCalculation: 'WHEN_REQUIRED',
});
const objects = mediaObjectStore(client, account.outputs.MediaBucketName);

/**
 * A film of so many bytes as a socket would give it, nearly all of them pictures nobody looks at. It says where it
 * was taken, so it is read and written a second time.
 */
async function* filmOf(bytes: number) {
  const head = Buffer.alloc(48);
  head.write('\0\0\0\x18ftypisom\0\0\0\0isomiso2\0\0\0\x10udtaSomewhere', 'latin1');
  head.writeUInt32BE(bytes - 40, 40);
  head.write('mdat', 44);
  yield head;
  for (let left = bytes - head.length; left > 0; left -= 64 * 1024)
    yield Buffer.alloc(Math.min(left, 64 * 1024));
}

async function fetchOf(bytes: number, name: string): Promise<void> {
  const workspace = { id: 'bench', name: 'bench', plan: 'bench', cursor_key: '', created_at: '' };
  const row = { ...workspace, limits: { ...DEFAULT_LIMITS, max_file_bytes: 1024 * MB } };
  const key = keys.workspace('bench');
  const table = { get: async () => new Map([[nameOf(key), row]]) } as unknown as ServiceTable;
  const media = {
    ...{ id: name, workspace_id: 'bench', kind: 'video', mime: 'video/mp4', fence: 1, tries: 1 },
    ...{ source_url: 'https://films.example.com/x', object_key: `media/bench/${name}/original.mp4` },
  } as unknown as MediaRow & { tries: number };
  let ended: StepEnd | undefined;
  await fetchMedia(
    { workspace_id: 'bench', media_id: name },
    {
      table,
      objects,
      work: {
        claim: async () => media,
        end: async (_, end) => {
          ended = end;
          return true;
        },
      },
      processQueue: { send: async () => {}, sendAll: async () => {} },
      getUrl: async () => ({
        ...{ outcome: 'answered', status: 200, rawHeaders: [], discard: () => {} },
        headers: { 'content-length': String(bytes) },
        body: filmOf(bytes),
      }),
      ownHosts: [],
      clock: Date.now,
    },
  );
  await objects.remove(media.object_key);
  if (ended?.changes.bytes !== bytes) throw new Error(`fetched ${JSON.stringify(ended)}, not ${bytes} bytes`);
}

async function peakOf(bytes: number, name: string): Promise<number> {
  let peak = 0;
  const sampler = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss);
  }, 10);
  await fetchOf(bytes, name);
  clearInterval(sampler);
  return peak;
}

globalThis.gc?.();
const idle = process.memoryUsage().rss;
const megabytes = Number(process.argv[3]);
const peak = await peakOf(megabytes * MB, `of-${megabytes}-${process.pid}`);
console.log(JSON.stringify({ idle: Math.round(idle / MB), over_idle: Math.round((peak - idle) / MB) }));
