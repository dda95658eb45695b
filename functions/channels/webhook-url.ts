import {
  LOOPBACK_URL_RULE,
  PUBLIC_URL_RULE,
  publicUrl,
  type UrlRules,
} from '../shared/outbound/public-url.ts';

/** Whether a URL may become a webhook channel's; what its name resolves to is checked at each delivery. */
export function checkWebhookUrl(
  raw: string,
  rules: UrlRules = {},
): { outcome: 'accepted'; url: string } | { outcome: 'refused'; message: string } {
  const checked = publicUrl(raw, rules);
  if (checked.outcome === 'public') return { outcome: 'accepted', url: checked.url.href };
  const rule = rules.loopback === 'allowed' ? `${PUBLIC_URL_RULE}; ${LOOPBACK_URL_RULE}` : PUBLIC_URL_RULE;
  return { outcome: 'refused', message: `not a webhook URL: ${rule}` };
}
