import { randomUUID } from 'node:crypto'

/** A unique id. */
export const newId = (): string => randomUUID().replaceAll('-', '')
