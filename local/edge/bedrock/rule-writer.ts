import * as v from 'valibot';
import { lengthIn } from '../../../functions/channels/text-length.ts';
import type { ModelScript } from './model-script.ts';

/** One caption for one platform, in the shape the service asks models for. */
interface Written {
  readonly platform: string;
  readonly caption: string;
  readonly title: string;
}

const Asked = v.object({
  platform: v.string(),
  at_most: v.number(),
  unit: v.picklist(['code points', 'UTF-16 units', 'UTF-8 bytes']),
});
type Asked = v.InferOutput<typeof Asked>;

const Kit = v.object({
  hashtags: v.array(v.string()),
  emoji_policy: v.string(),
  sign_off: v.optional(v.string(), ''),
});
type Kit = v.InferOutput<typeof Kit>;

const TITLE_CHARACTERS = 59;
const HASHTAGS = 3;

/**
 * What stands in for a language model: rules that cut a caption to a platform's limit and end it as the brand kit
 * says. It reads the same prompt a model gets; undefined is an answer that is no JSON.
 */
export function writeByRules(prompt: string, script: ModelScript): { variants: Written[] } | undefined {
  const read = v.safeParse(v.tuple([v.array(Asked), v.string(), Kit]), [
    tagged(prompt, 'platforms'),
    tagged(prompt, 'caption'),
    tagged(prompt, 'brand_kit'),
  ]);
  if (!read.success) return undefined;
  const [asked, caption, kit] = read.output;
  const rule = script.next(caption);
  if (rule?.reply === 'garbage') return undefined;
  const isStruck = ({ platform }: Asked) =>
    rule !== undefined && (rule.platforms ?? [platform]).includes(platform);
  return {
    variants: asked
      .filter((each) => !(rule?.reply === 'skip' && isStruck(each)))
      .map((each) => ({
        platform: each.platform,
        caption: isStruck(each) ? 'x'.repeat(each.at_most + 1) : captionFor(each, caption, kit),
        title: each.platform === 'youtube' ? titleOf(caption) : '',
      })),
  };
}

function captionFor({ platform, at_most, unit }: Asked, caption: string, kit: Kit): string {
  const clean = platform === 'youtube' ? caption.replace(/[<>]/g, '') : caption;
  const text = kit.emoji_policy === 'none' ? clean.replace(/\p{Extended_Pictographic}\uFE0F?/gu, '') : clean;
  const tags = platform === 'custom_webhook' ? [] : kit.hashtags.slice(0, HASHTAGS);
  const whole = [text.trim(), kit.sign_off, tags.join(' ')].filter(Boolean).join('\n\n');
  const characters = [...(lengthIn(unit, whole) <= at_most ? whole : text.trim())];
  while (lengthIn(unit, characters.join('')) > at_most) characters.splice(-Math.ceil(characters.length / 20));
  return characters.join('').trim();
}

function titleOf(caption: string): string {
  const [first = ''] = caption
    .replace(/[<>]/g, '')
    .trim()
    .split(/\n|(?<=[.!?])\s/);
  return [...first].slice(0, TITLE_CHARACTERS).join('').trim();
}

function tagged(prompt: string, tag: string): unknown {
  const [, json] = new RegExp(`^<${tag}>\\n([^\\n]*)\\n</${tag}>$`, 'm').exec(prompt) ?? [];
  return json === undefined ? undefined : JSON.parse(json);
}
