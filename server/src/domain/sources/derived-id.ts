import { hash } from 'node:crypto'

/**
 * Deterministic UUID v8 derived from a key. The same key gives the same id in every account and
 * after a restore.
 */
export function derivedId(kind: string, ...parts: readonly string[]): string {
  const digest = hash('sha256', JSON.stringify([kind, ...parts]), 'hex')
  const variant = ((Number.parseInt(digest.slice(16, 18), 16) & 0x3f) | 0x80).toString(16)
  return [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`,
    variant + digest.slice(18, 20),
    digest.slice(20, 32),
  ].join('-')
}
