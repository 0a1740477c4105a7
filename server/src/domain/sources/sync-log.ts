/** Where it is told how it goes with accounts. */
export interface SyncLog {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
}
