import type { Token } from '@muster/contract'

/** Formats milliseconds since 1970 as the API does: UTC with six decimals. */
export const timestamp = (milliseconds: number): Token['issued_at'] =>
  `${new Date(milliseconds).toISOString().slice(0, -1)}000Z`
