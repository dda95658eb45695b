/** One media part of a delivery. */
export interface DeliveredMedia {
  readonly filename: string;
  readonly contentType: string;
  /** In bytes. */
  readonly size: number;
  /** Lower-case hex. */
  readonly sha256: string;
}

/** What the webhook inbox received in one request; each attempt is one. */
export interface ReceivedDelivery {
  /** The `X-Service-Delivery-Id`; the same for all attempts. */
  readonly delivery_id: string | null;
  /** When its first byte arrived, ISO 8601. */
  readonly received_at: string;
  /** Below the inbox's own address: `/hooks/demo`. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed `meta` part; null where there is none that is JSON. */
  readonly meta: unknown;
  readonly media: readonly DeliveredMedia[];
  /** Whether `X-Service-Signature` is that of the exact body under a secret of this path. */
  readonly signature_valid: boolean;
}
