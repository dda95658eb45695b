import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { Architecture, LayerVersion, Runtime } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type {
  CreateMediaEnv,
  FetchMediaEnv,
  ProcessMediaEnv,
  ReadMediaEnv,
  UploadUrlEnv,
} from '../../functions/media/env.ts';
import type { EnvOf } from '../../functions/shared/read-env.ts';
import { Endpoint } from '../constructs/endpoint.ts';
import { ServiceFunction } from '../constructs/service-function.ts';
import { WorkQueue } from '../constructs/work-queue.ts';
import type { Stage } from '../stages.ts';
import type { MediaStorage } from './media-storage.ts';
import { authenticate, type Service, WORKSPACE_ROWS } from './service.ts';

interface MediaProps extends Service {
  readonly stage: Stage;
  readonly storage: MediaStorage;
  /** Where media is served, without a slash at the end. */
  readonly url: string;
}

/** A transfer of 5 minutes, then storing a gigabyte for good. */
const FETCH_TIMEOUT = Duration.seconds(540);
/** A film of a gigabyte is read in parts, 60 s at most; three thumbnails and three posters are then written. */
const PROCESS_TIMEOUT = Duration.seconds(120);

/** The machine code of sharp and of mediabunny's server package, for Lambda's processor. */
const DECODERS = [
  '@img/sharp-linux-arm64',
  '@img/sharp-libvips-linux-arm64',
  '@seydx/node-av-linux-arm64',
] as const;

/** Images and videos: taking them in, showing them, and looking into them. */
export class Media extends Construct {
  readonly storage: MediaStorage;
  readonly url: string;
  readonly fetchQueue: WorkQueue;
  readonly processQueue: WorkQueue;

  constructor(scope: Construct, id: string, props: MediaProps) {
    super(scope, id);
    this.storage = props.storage;
    this.url = props.url;
    const { alarms } = props.settings;
    this.fetchQueue = new WorkQueue(this, 'FetchQueue', {
      workTimeout: FETCH_TIMEOUT,
      impact: 'media from slow or large URLs arrives late, and posts that wait for it go out late.',
      alarms,
    });
    this.processQueue = new WorkQueue(this, 'ProcessQueue', {
      workTimeout: PROCESS_TIMEOUT,
      impact: 'thumbnails, sizes and durations come late.',
      alarms,
    });
    this.addEndpoints(props);
    this.addWorkers(props);
  }

  private addEndpoints({ storage, url, stage: _, ...service }: MediaProps): void {
    const { table } = service;
    const read = () => [authenticate(table), table.read(WORKSPACE_ROWS)];
    const bucket = { SERVICE_TABLE: table.name, MEDIA_BUCKET: storage.bucket.bucketName };
    const shown = { SERVICE_TABLE: table.name, MEDIA_URL: url };

    new Endpoint<EnvOf<typeof UploadUrlEnv>>(this, 'CreateUploadUrl', {
      ...service,
      route: 'POST /media/upload-url',
      entry: 'media/create-upload-url',
      environment: bucket,
      // A signed URL may do what its signer may.
      permissions: [...read(), table.write(WORKSPACE_ROWS, 'PutItem'), storage.write('incoming/')],
    });
    new Endpoint<EnvOf<typeof CreateMediaEnv>>(this, 'CreateMedia', {
      ...service,
      route: 'POST /media',
      entry: 'media/create-media',
      environment: {
        ...bucket,
        ...shown,
        FETCH_QUEUE_URL: this.fetchQueue.queue.queueUrl,
        PROCESS_QUEUE_URL: this.processQueue.queue.queueUrl,
      },
      permissions: [
        ...read(),
        table.write(WORKSPACE_ROWS, 'PutItem', 'UpdateItem'),
        storage.read('incoming/', 'media/'),
        storage.write('incoming/', 'media/'),
        storage.seeAbsence(),
        this.fetchQueue.send(),
        this.processQueue.send(),
      ],
      // An image is in memory twice while its metadata is taken out.
      memoryMegabytes: 1769,
    });
    new Endpoint<EnvOf<typeof ReadMediaEnv>>(this, 'ListMedia', {
      ...service,
      route: 'GET /media',
      entry: 'media/list-media',
      environment: shown,
      permissions: [...read(), table.query(WORKSPACE_ROWS, 'media_by_kind')],
    });
    new Endpoint<EnvOf<typeof ReadMediaEnv>>(this, 'GetMedia', {
      ...service,
      route: 'GET /media/{id}',
      entry: 'media/get-media',
      environment: shown,
      permissions: read(),
    });
  }

  private addWorkers({ settings, table, storage, url, stage }: MediaProps): void {
    const bucket = { SERVICE_TABLE: table.name, MEDIA_BUCKET: storage.bucket.bucketName };
    const fetchMedia = new ServiceFunction<EnvOf<typeof FetchMediaEnv>>(this, 'FetchMedia', {
      settings,
      entry: 'media/fetch-media',
      environment: {
        ...bucket,
        MEDIA_URL: url,
        PROCESS_QUEUE_URL: this.processQueue.queue.queueUrl,
      },
      permissions: [
        table.read(WORKSPACE_ROWS),
        table.write(WORKSPACE_ROWS, 'UpdateItem', 'DeleteItem'),
        storage.read('incoming/', 'media/'),
        storage.write('incoming/', 'media/'),
        storage.remove('incoming/', 'media/'),
        storage.seeAbsence(),
        this.processQueue.send(),
      ],
      timeout: FETCH_TIMEOUT,
      impact: 'media from slow or large URLs does not arrive, and is tried again.',
    });
    this.fetchQueue.feed(fetchMedia, { batchSize: 1, maxConcurrency: stage.maxMediaConcurrency });

    const decoders = new LayerVersion(this, 'Decoders', {
      description: DECODERS.join(', '),
      code: settings.bundles.layerOf(DECODERS),
      compatibleArchitectures: [Architecture.ARM_64],
      compatibleRuntimes: [Runtime.NODEJS_24_X],
      removalPolicy: RemovalPolicy.DESTROY,
    });
    // The only function that opens what strangers made: it can reach its rows and objects, and nothing else.
    const processMedia = new ServiceFunction<EnvOf<typeof ProcessMediaEnv>>(this, 'ProcessMedia', {
      settings,
      entry: 'media/process-media',
      environment: bucket,
      permissions: [
        table.write(WORKSPACE_ROWS, 'UpdateItem'),
        storage.read('media/'),
        storage.write('media/'),
      ],
      timeout: PROCESS_TIMEOUT,
      impact: 'media has no thumbnails, sizes and durations; it is tried again.',
      memoryMegabytes: 3008,
      layers: [decoders],
    });
    this.processQueue.feed(processMedia, { batchSize: 1, maxConcurrency: stage.maxMediaConcurrency });
  }
}
