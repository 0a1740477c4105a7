/** Consecutive failed logins of a user without a delay. */
export const failuresBeforeDelay = 10

const first = 1_000
const longest = 15 * 60_000

/** The delay after the tenth failed login, the eleventh and so on. It doubles up to the last entry. */
export const loginDelays: readonly number[] = Array.from({ length: 11 }, (_, step) =>
  Math.min(first * 2 ** step, longest),
)
