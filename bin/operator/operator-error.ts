/** Ends the operator's command: one line that says what was wrong and what to do. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
}
