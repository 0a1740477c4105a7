import type { IncomingMessage } from 'node:http'

/** Counts how often a header was sent. `headers` does not show it: Node drops or joins duplicates. */
export function countHeader({ rawHeaders }: IncomingMessage, name: string): number {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const header = rawHeaders[at] ?? ''
    if (header.length === name.length && header.toLowerCase() === name) count += 1
  }
  return count
}
