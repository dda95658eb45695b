import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ServiceModel } from '../service-model.ts';
import type { ModelScript } from './bedrock/model-script.ts';
import { CONTROL_PATH, control } from './control.ts';
import { type Counts, callCounts } from './counts.ts';
import { type Credentials, keyRing } from './credentials.ts';
import { type Faults, faultRules } from './faults.ts';
import { assertJudgeable } from './iam/conditions.ts';
import { LostReply, type OnCrash } from './inject.ts';
import { principalsOf } from './principals.ts';
import { sendAnswer } from './send-answer.ts';
import { serveCall } from './serve-call.ts';
import type { Queues } from './sqs/queues.ts';
import { type ServiceOptions, startServices } from './start-services.ts';

/** What the edge is started with. */
export interface EdgeOptions extends Omit<ServiceOptions, 'now'> {
  readonly model: ServiceModel;
  /** Where state is kept: queues, schedules, objects, keys. */
  readonly stateDirectory: string;
  /** The DynamoDB engine. */
  readonly dynamoEndpoint: string;
  /** Milliseconds since 1970. @default Date.now */
  readonly now?: () => number;
  /** @default a free one */
  readonly port?: number;
  /** Called by the faults `crash-before` and `crash-after`. @default nobody is ended, only the connection breaks */
  readonly onCrash?: OnCrash;
  /** How many calls the log remembers. @default 10,000 */
  readonly logLength?: number;
}

/** AWS as the local service knows it: one endpoint, judged by the template's own roles. */
export interface Edge {
  /** What AWS_ENDPOINT_URL is set to. */
  readonly endpoint: string;
  /**
   * The access key of a function (by logical id or name), of `operator` or of `media-reader`. An instance
   * (letters and digits) tells the workers of one function apart.
   */
  credentialsFor(principal: string, instance?: string): Credentials;
  /** Names the invocation that this key's next calls belong to; a worker runs one at a time. */
  beginRequest(accessKeyId: string, requestId: string): void;
  readonly counts: Counts;
  readonly faults: Faults;
  /** What the stand-in for a language model does instead of its best. */
  readonly modelScript: ModelScript;
  /** The queues themselves, for what AWS does to them without a call of ours. */
  readonly queues: Queues;
  /** Sends what schedules are due by the clock; runs by itself every quarter second. */
  fireDueSchedules(): number;
  stop(): Promise<void>;
}

/** Starts the edge on loopback. @throws {Error} when a role has a statement the local IAM cannot judge */
export async function startEdge(options: EdgeOptions): Promise<Edge> {
  const { model, stateDirectory, now = Date.now, onCrash = () => {} } = options;
  for (const { logicalId, statements } of model.roles) {
    for (const statement of statements) assertJudgeable(logicalId, statement);
  }

  const keys = keyRing(principalsOf(model), stateDirectory);
  const services = startServices({ ...options, now });
  const counts = callCounts(options.logLength ?? 10_000);
  const faults = faultRules();
  const { modelScript } = services;
  const requestIds = new Map<string, string>();
  const context = { keys, services: services.byName, counts, faults, requestIds, onCrash, now };

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    try {
      const answer = request.url?.startsWith(CONTROL_PATH)
        ? await control({ counts, faults, modelScript }, request)
        : await serveCall(context, request, response);
      await sendAnswer(response, answer);
    } catch (error) {
      // A broken connection is all a caller may learn of a lost reply, and of a defect of the edge itself.
      if (!(error instanceof LostReply)) console.error('the AWS edge failed on a call:', error);
      response.destroy();
    }
  };
  const server = createServer(
    { keepAliveTimeout: 0, requestTimeout: 0 },
    (request, response) => void serve(request, response),
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;

  return {
    endpoint: `http://127.0.0.1:${port}`,
    credentialsFor: keys.credentialsFor,
    beginRequest: (accessKeyId, requestId) => void requestIds.set(accessKeyId, requestId),
    counts,
    faults,
    modelScript,
    queues: services.queues,
    fireDueSchedules: services.fireDueSchedules,
    stop: async () => {
      services.close();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}
