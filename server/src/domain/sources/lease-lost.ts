/**
 * Thrown by a write whose lease is no longer valid: another process runs the account, or it was
 * changed or deleted.
 */
export class LeaseLost extends Error {
  constructor() {
    super('the lease of the account is lost')
    this.name = 'LeaseLost'
  }
}
