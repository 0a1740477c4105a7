import { randomUUID } from 'node:crypto'

/** An id that nothing else has or ever had, of whatever kind. */
export const newId = (): string => randomUUID().replaceAll('-', '')
