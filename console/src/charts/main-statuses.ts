/** Those that are told apart where servers are drawn by their status; the others are one. */
export const mainStatuses = ['running', 'ready', 'unknown'] as const
export type MainStatus = (typeof mainStatuses)[number]
