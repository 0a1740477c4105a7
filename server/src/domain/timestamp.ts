import type { Token } from '@muster/contract'

/** Milliseconds since 1970 as the wire writes a moment: UTC, six decimals. */
export const timestamp = (milliseconds: number): Token['issued_at'] =>
  `${new Date(milliseconds).toISOString().slice(0, -1)}000Z`
