/** The day as the API counts days. */
export const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10)

/**
 * Servers that changed since then. Muster counts the changes of each server in `update_version`: one
 * that has only appeared still has 0.
 */
export const changedSince = (date: string): string => `updated>=${date} update_version>0`

/** Servers that existed on that day, as far as a filter can tell: current servers created by then. */
export const madeBy = (date: string): string => `created<=${date}`
