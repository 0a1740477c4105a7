/** The day as the API counts days. */
export const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10)

/**
 * Servers that changed since then. `update_version` counts the changes of a server, so it is 0 for a
 * server that is only new.
 */
export const changedSince = (date: string): string => `updated>=${date} update_version>0`

/** Servers that existed on that day, as far as a filter can tell: current servers created by then. */
export const madeBy = (date: string): string => `created<=${date}`
