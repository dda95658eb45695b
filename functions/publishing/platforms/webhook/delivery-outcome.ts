import type { ExchangeFailure } from '../../../shared/outbound/exchange.ts';
import type { ConnectFailure } from '../../../shared/outbound/open-connection.ts';

/** Why an attempt did not deliver, for the attempt's row: an answer's status, or the phase that failed. */
export type DeliveryCode =
  | `http_${number}`
  | 'dns_failed'
  | 'dns_timeout'
  | ConnectFailure
  | ExchangeFailure
  | 'blocked';

/** How one attempt ended. Every `reason` and `warning` is fit for the customer's eyes: no address, no secret. */
export type DeliveryOutcome =
  | { outcome: 'delivered'; httpStatus: number; remoteId?: string; url?: string; warning?: string }
  | RetryableDelivery
  | { outcome: 'refused'; code: DeliveryCode; reason: string; httpStatus?: number };

/** An attempt that may succeed when repeated. `detail` is an error code of the system or of TLS. */
export interface RetryableDelivery {
  readonly outcome: 'retry';
  readonly code: DeliveryCode;
  readonly reason: string;
  readonly httpStatus?: number;
  /** What the endpoint asked for, on 429 and 503. */
  readonly retryAfterSeconds?: number;
  readonly detail?: string;
}
