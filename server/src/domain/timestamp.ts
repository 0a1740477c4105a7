import type { Token } from '@muster/contract'
import { joined } from './joined.ts'

/** Formats milliseconds since 1970 as the API does: UTC with six decimals. */
export const timestamp = (milliseconds: number): Token['issued_at'] =>
  joined(new Date(milliseconds).toISOString().slice(0, -1), '000Z')

export const timestampOrNull = (milliseconds: number | null): Token['issued_at'] | null =>
  milliseconds === null ? null : timestamp(milliseconds)
