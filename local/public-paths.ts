import { uploadHandler } from '../upload/upload-handler.ts';
import type { Edge } from './edge/start-edge.ts';
import { mediaReader } from './edge-access.ts';
import type { FunctionRuntime } from './functions/runtime.ts';
import { apiHandler, type RequestHandler } from './gateway/api.ts';
import { formsApart } from './gateway/forms-apart.ts';
import { mediaHandler } from './gateway/media.ts';
import { pageHandler } from './gateway/page.ts';
import { openInbox } from './inbox.ts';
import { inboxSecrets } from './inbox-channels.ts';
import type { OperatorAccess } from './operator-access.ts';
import { openPlatforms } from './platforms/open-platforms.ts';
import type { ServiceModel } from './service-model.ts';
import type { StateDirectory } from './state-directory.ts';

/** The addresses of the public server. */
export interface PublicUrls {
  readonly base_url: string;
  readonly media_url: string;
  readonly inbox_url: string;
  /** The fake platforms: a page of what was published, and their APIs below it. */
  readonly platforms_url: string;
}

/** Where things are below the public server's origin. */
export function publicUrls(origin: string): PublicUrls {
  return {
    base_url: `${origin}/api/v1`,
    media_url: `${origin}/media`,
    inbox_url: `${origin}/inbox`,
    platforms_url: `${origin}/platforms`,
  };
}

/** Who answers what on the public server, by the beginning of the path. */
export function publicPaths(options: {
  readonly urls: PublicUrls;
  readonly model: ServiceModel;
  readonly runtime: FunctionRuntime;
  readonly edge: Edge;
  readonly access: OperatorAccess;
  readonly state: StateDirectory;
}): Readonly<Record<string, RequestHandler>> {
  const { urls, model, runtime, edge, access, state } = options;
  const bucket = model.outputs.MediaBucketName;
  if (bucket === undefined) throw new Error('the stack has no output MediaBucketName');
  return {
    '/api/': formsApart({
      api: apiHandler({ routes: model.routes, runtime }),
      uploads: uploadHandler({ apiUrl: urls.base_url }),
    }),
    '/media/': mediaHandler({ s3: mediaReader(edge, model), bucket }),
    '/inbox/': openInbox({
      file: state.at('inbox'),
      url: urls.inbox_url,
      secretsOf: inboxSecrets(access, urls.inbox_url),
    }),
    '/platforms': openPlatforms({ url: urls.platforms_url, file: state.at('platforms') }),
    '/': pageHandler({ urls, logs: state.at('logs'), serviceFile: state.at('service') }),
  };
}
