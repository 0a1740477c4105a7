/** A moment is still being built, and the client does not want to wait. */
export class PendingMoment extends Error {
  readonly time: number
  /** Between 0 and 1. */
  readonly progress: number

  constructor(time: number, progress: number) {
    super('The moment is being built.')
    this.time = time
    this.progress = progress
  }
}
