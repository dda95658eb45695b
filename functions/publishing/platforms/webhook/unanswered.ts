import type { OutboundOutcome } from '../../../shared/outbound/guarded-request.ts';
import type { DeliveryCode, DeliveryOutcome } from './delivery-outcome.ts';

/** What to tell the customer, by the phase that failed. */
const REASONS: Readonly<Record<Exclude<DeliveryCode, `http_${number}` | 'blocked'>, string>> = {
  dns_failed:
    'the host name of your webhook endpoint could not be resolved: check the URL and its DNS records',
  dns_timeout: 'the name servers of your webhook endpoint did not answer in time',
  connect_failed:
    'your webhook endpoint did not accept the connection: check that it is running and reachable',
  connect_timeout: 'your webhook endpoint did not accept the connection in time: check its firewall',
  tls_failed:
    'no secure connection to your webhook endpoint: check that its certificate is valid for its name',
  tls_timeout: 'your webhook endpoint did not finish the TLS handshake in time',
  upload_stalled: 'your webhook endpoint stopped reading the delivery',
  upload_too_slow: 'your webhook endpoint reads the delivery too slowly: it must take 64 KB a second',
  answer_timeout: 'your webhook endpoint did not answer in time: answer first, then do the slow work',
  connection_lost: 'your webhook endpoint closed the connection before it answered',
  malformed_answer: 'your webhook endpoint answered with something that is not HTTP',
  deadline: 'the delivery to your webhook endpoint took too long and was broken off',
};

const BLOCKED =
  'the URL of this channel does not lead to a public https endpoint, so nothing was sent: set another URL';

/** The class of an attempt that got no answer: a blocked URL is final, all else is tried again. */
export function classifyUnanswered(
  ended: Exclude<OutboundOutcome, { outcome: 'answered' }>,
): DeliveryOutcome {
  if (ended.outcome === 'blocked') return { outcome: 'refused', code: 'blocked', reason: BLOCKED };
  const detail = ended.detail === undefined ? {} : { detail: ended.detail };
  return { outcome: 'retry', code: ended.code, reason: REASONS[ended.code], ...detail };
}
