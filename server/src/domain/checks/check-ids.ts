const idOf = (number: number) => `c${String(number).padStart(31, '0')}`

/** Built-in checks that no query can express. The migration creates all built-in checks. */
export const checkIds = {
  endOfLife: idOf(2),
  duplicateAddress: idOf(4),
  noProjectByRule: idOf(6),
  expiring: idOf(7),
  recycleBin: idOf(8),
  failingAccounts: idOf(9),
  unreadableServers: idOf(10),
} as const
