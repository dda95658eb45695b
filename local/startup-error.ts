/** A reason the local service cannot start that its user can do something about; shown as one line. */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}
