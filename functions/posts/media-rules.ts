import { type FileLimits, type Platform, rulesOf } from '../channels/platform.ts';
import type { MediaRow } from '../media/media.ts';

/** What the rules look at of a file. Its size and duration are unknown until it was processed. */
export type RuledMedia = Pick<
  MediaRow,
  'id' | 'kind' | 'mime' | 'bytes' | 'width' | 'height' | 'duration_ms' | 'status'
>;

/** Why a platform would not take a post. */
export interface Breach {
  readonly rule: string;
  /** Follows the name of the channel: "takes videos of at most 900 s". */
  readonly problem: string;
  readonly limit?: number;
  /** The file it is about. */
  readonly media_id?: string;
}

/** Why a platform would not take these files, by what is known of them by now: of each file one reason. */
export function mediaBreaches(platform: Platform, media: readonly RuledMedia[]): Breach[] {
  const rules = rulesOf(platform);
  const videos = media.filter(({ kind }) => kind === 'video').length;
  const limit = rules.video?.maxCount ?? videos;
  const problem = `takes at most ${limit} video${limit === 1 ? '' : 's'} in a post, got ${videos}`;
  return [
    ...(videos > limit ? [{ rule: 'video_count', problem, limit }] : []),
    ...media.flatMap((each) => {
      const limits = rules[each.kind];
      const breach = limits && fileBreach(each, limits);
      return breach ? { ...breach, media_id: each.id } : [];
    }),
  ];
}

/** The first of them. */
export const mediaBreach = (platform: Platform, media: readonly RuledMedia[]): Breach | undefined =>
  mediaBreaches(platform, media)[0];

/** A fact of a file against a limit: `of` says how the limit reads, in the unit people know. */
interface Bound {
  readonly rule: string;
  readonly value: (file: RuledMedia) => number | undefined;
  readonly limit: (limits: FileLimits) => number | undefined;
  readonly isMinimum?: boolean;
  readonly of: (value: number) => string;
}

const seconds = (ms: number): string => `${Math.round(ms / 100) / 10} s long`;
const megabytes = (bytes: number): string => `${Math.round(bytes / 10_000) / 100} MB`;
const pixels = (side: number): string => `${side} pixels a side`;
const ratio = (value: number): string => `${Math.round(value * 1000) / 1000} in width to height`;

const ratioOf = ({ width, height }: RuledMedia): number | undefined =>
  width && height ? width / height : undefined;
/** Of a file still on its way its source may announce more than comes. */
const bytesOf = ({ bytes, status }: RuledMedia): number | undefined =>
  status === 'ready' ? bytes : undefined;
const shorterSide = ({ width, height }: RuledMedia) =>
  width && height ? Math.min(width, height) : undefined;
const longerSide = ({ width, height }: RuledMedia) => (width && height ? Math.max(width, height) : undefined);
const areaOf = ({ width, height }: RuledMedia) => (width && height ? width * height : undefined);
const durationOf = ({ duration_ms }: RuledMedia) => duration_ms ?? undefined;

const BOUNDS: readonly Bound[] = [
  { rule: 'media_bytes', value: bytesOf, limit: ({ minBytes }) => minBytes, isMinimum: true, of: megabytes },
  { rule: 'media_bytes', value: bytesOf, limit: ({ maxBytes }) => maxBytes, of: megabytes },
  {
    ...{ rule: 'media_duration', value: durationOf, of: seconds },
    limit: ({ minDurationMs }) => minDurationMs,
    isMinimum: true,
  },
  { rule: 'media_duration', value: durationOf, limit: ({ maxDurationMs }) => maxDurationMs, of: seconds },
  { rule: 'media_ratio', value: ratioOf, limit: ({ minRatio }) => minRatio, isMinimum: true, of: ratio },
  { rule: 'media_ratio', value: ratioOf, limit: ({ maxRatio }) => maxRatio, of: ratio },
  { rule: 'media_size', value: shorterSide, limit: ({ minSide }) => minSide, isMinimum: true, of: pixels },
  { rule: 'media_size', value: longerSide, limit: ({ maxSide }) => maxSide, of: pixels },
  { rule: 'media_size', value: areaOf, limit: ({ maxPixels }) => maxPixels, of: (area) => `${area} pixels` },
];

/** Sizes are whole pixels, so a ratio is off by a little. */
const RATIO_TOLERANCE = 0.005;

function fileBreach(file: RuledMedia, limits: FileLimits): Breach | undefined {
  if (limits.mimes && !limits.mimes.includes(file.mime)) {
    const problem = `takes ${file.kind}s as ${limits.mimes.join(' or ')}, not ${file.mime}`;
    return { rule: 'media_type', problem };
  }
  for (const { rule, value: measure, limit: limitOf, isMinimum, of } of BOUNDS) {
    const [value, limit] = [measure(file), limitOf(limits)];
    if (value === undefined || limit === undefined) continue;
    const slack = rule === 'media_ratio' ? RATIO_TOLERANCE * limit : 0;
    const isKept = isMinimum ? value >= limit - slack : value <= limit + slack;
    if (isKept) continue;
    const side = isMinimum ? 'at least' : 'at most';
    const problem = `takes ${file.kind}s that are ${side} ${of(limit)}; media ${file.id} is ${of(value)}`;
    return { rule, problem, limit };
  }
  return undefined;
}
