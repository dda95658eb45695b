/**
 * A refusal in AWS's words. `code` is the error's name as the SDK reads it; each service knows how its
 * protocol spells it on the wire.
 */
export class AwsError extends Error {
  override readonly name = 'AwsError';
  readonly code: string;
  readonly status: number;
  /** Further members of the error's body, such as CancellationReasons. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: string, message: string, status = 400, details: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.code = code;
    this.status = status;
    this.details = details;
  }
}

/** The refusal of an operation that neither the service nor its stand-in knows here. */
export function unknownOperation(service: string, operation: string): AwsError {
  return new AwsError(
    'UnknownOperationException',
    `${service} ${operation} is not supported by the local service; see local/edge/services`,
  );
}
