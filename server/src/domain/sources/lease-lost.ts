/** The account has been changed or removed meanwhile, or is run by somebody else: what was begun for it is void. */
export class LeaseLost extends Error {
  constructor() {
    super('the account has changed hands')
    this.name = 'LeaseLost'
  }
}
