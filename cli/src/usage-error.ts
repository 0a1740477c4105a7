/** The command was not understood. It did nothing. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
