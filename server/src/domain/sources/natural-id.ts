import { hash } from 'node:crypto'

/**
 * An id made of what a thing is by nature: whoever meets it again, by another way or after a restore,
 * comes to the same one. In the form of a UUID of version 8.
 */
export function naturalId(kind: string, ...parts: readonly string[]): string {
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
