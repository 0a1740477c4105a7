/** Failures in a row that pass without a delay. */
export const failuresBeforeDelay = 10

const first = 1_000
const longest = 15 * 60_000

/** The delay after the tenth failure, the eleventh and so on: doubling, and from the last entry on the same. */
export const loginDelays: readonly number[] = Array.from({ length: 11 }, (_, step) =>
  Math.min(first * 2 ** step, longest),
)
