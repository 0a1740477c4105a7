/** Servers that existed on that day, as far as a filter can tell: current servers created by then. */
export const madeBy = (date: string): string => `created<=${date}`
