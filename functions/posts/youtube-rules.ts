import {
  deriveTitle,
  hasAngleBrackets,
  tagsLength,
  YOUTUBE_DESCRIPTION_BYTES,
  YOUTUBE_TAGS_LIMIT,
  YOUTUBE_TITLE_LIMIT,
} from '../channels/youtube-text.ts';
import { codePoints } from '../shared/text.ts';
import type { Breach } from './media-rules.ts';
import type { TargetRow } from './post.ts';

/** A text that YouTube would not take, and the field of the target it stands in. */
interface TextBreach extends Breach {
  readonly field: 'caption' | 'title' | 'description' | 'options.tags';
}

/** Why YouTube would not take a video's texts: of each text one reason. */
export const youtubeBreaches = (target: TargetRow, caption: string): readonly TextBreach[] =>
  [titleBreach(target, caption), descriptionBreach(target, caption), tagsBreach(target)].filter(
    (breach) => breach !== undefined,
  );

function titleBreach({ title }: TargetRow, caption: string): TextBreach | undefined {
  if (hasAngleBrackets(title ?? '')) {
    return { rule: 'title', problem: 'takes no < or > in a title', field: 'title' };
  }
  if (codePoints(title ?? '') > YOUTUBE_TITLE_LIMIT) {
    const problem = `takes titles of at most ${YOUTUBE_TITLE_LIMIT} characters`;
    return { rule: 'title_length', problem, limit: YOUTUBE_TITLE_LIMIT, field: 'title' };
  }
  return title === null && deriveTitle(caption) === ''
    ? { rule: 'title', problem: 'needs a title, and the caption gives none', field: 'title' }
    : undefined;
}

function descriptionBreach({ description }: TargetRow, caption: string): TextBreach | undefined {
  if (hasAngleBrackets(description ?? caption)) {
    const field = description === null ? 'caption' : 'description';
    return { rule: 'description', problem: 'takes no < or > in a description', field };
  }
  const bytes = Buffer.byteLength(description ?? '', 'utf8');
  if (bytes <= YOUTUBE_DESCRIPTION_BYTES) return undefined;
  const problem = `takes descriptions of at most ${YOUTUBE_DESCRIPTION_BYTES} bytes (UTF-8), got ${bytes}`;
  return { rule: 'description_length', problem, limit: YOUTUBE_DESCRIPTION_BYTES, field: 'description' };
}

function tagsBreach({ options }: TargetRow): TextBreach | undefined {
  const length = tagsLength(options?.tags ?? []);
  if (length <= YOUTUBE_TAGS_LIMIT) return undefined;
  const problem = `takes tags of at most ${YOUTUBE_TAGS_LIMIT} characters in all, got ${length}; it counts the commas between them, and 2 more for a tag with a space`;
  return { rule: 'tags_length', problem, limit: YOUTUBE_TAGS_LIMIT, field: 'options.tags' };
}
