import { hash } from 'node:crypto'

/** No text that is longer is remembered whole. */
const longest = 256

const shorten = (text: string) => (text.length > longest ? hash('sha1', text, 'base64url') : text)

/** Tells whether something was asked for lately: among the last so many different things, or twice as many. */
export function createSeenBefore(many: number): (text: string) => boolean {
  let recent = new Set<string>()
  let earlier = new Set<string>()
  return function isSeenBefore(text) {
    const key = shorten(text)
    if (recent.has(key) || earlier.has(key)) return true
    if (recent.size >= many) {
      earlier = recent
      recent = new Set()
    }
    recent.add(key)
    return false
  }
}
