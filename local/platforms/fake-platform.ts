/** A request to a fake platform. */
export interface FakeRequest {
  readonly method: string;
  /** Below the platform's own address, without the query: `/v26.0/1001/feed`. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** What it answers; a body that is no text is sent as JSON. */
export interface FakeAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** A file of a post, as the page shows it. */
export interface ShownMedia {
  readonly kind: 'image' | 'video';
  /** Where it was fetched from; null for bytes that were uploaded and not kept. */
  readonly url: string | null;
  readonly alt_text?: string | undefined;
}

/** What the public of a platform sees. */
export interface ShownPost {
  readonly platform: string;
  readonly account: string;
  readonly id: string;
  /** feed, reel, story, ... */
  readonly kind: string;
  readonly text: string;
  readonly media: readonly ShownMedia[];
  readonly url: string;
  /** ISO 8601. */
  readonly published_at: string;
  /** What else it was published with. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** A stand-in for a platform: its API over a state of its own, which is plain JSON. */
export interface FakePlatform {
  readonly name: string;
  handle(request: FakeRequest): Promise<FakeAnswer>;
  /** What has been published, oldest first. */
  posts(): readonly ShownPost[];
  /** All it knows, to be kept over restarts. */
  readonly state: object;
}

/** What fakes need from outside. */
export interface FakeWorld {
  /** Their own address, without a slash at the end: `http://localhost:3000/platforms`. */
  readonly url: string;
  readonly clock: () => number;
  /** Fetches a file as the platform would; undefined when it cannot be had. */
  readonly fetchFile: (url: string) => Promise<{ readonly type: string; readonly bytes: number } | undefined>;
  /** How long processing a video takes, in milliseconds. */
  readonly processingMs: number;
  /** A small picture of an uploaded one, for the page. @default none is kept */
  readonly pictureOf?: (bytes: Buffer) => Promise<string | undefined>;
  /** Whether publishing what is published makes another one; nobody has seen what Instagram does. @default false */
  readonly isRepeatable?: boolean;
}

/** The fields of a request: its query, and its form of either kind. A file is its size in bytes. */
export async function fieldsOf(request: FakeRequest): Promise<Record<string, string>> {
  const fields: Record<string, string> = Object.fromEntries(request.query);
  const type = request.headers['content-type'] ?? '';
  if (!/^(multipart\/form-data|application\/x-www-form-urlencoded)/i.test(type)) return fields;
  const body = new Uint8Array(request.body);
  const form = await new Response(body, { headers: { 'content-type': type } }).formData();
  for (const [name, value] of form) fields[name] = typeof value === 'string' ? value : String(value.size);
  return fields;
}

/** JSON in a body; undefined when there is none. */
export function jsonOf({ body }: FakeRequest): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
