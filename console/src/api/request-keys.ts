/**
 * Idempotency keys, one for each distinct request, until `forget`. A request that is repeated because
 * its response was lost does not act twice.
 */
export function createRequestKeys() {
  const keys = new Map<string, string>()
  return {
    keyOf(request: unknown): string {
      const text = JSON.stringify(request)
      const key = keys.get(text) ?? randomKey()
      keys.set(text, key)
      return key
    },
    /** After a response: the next request is a new one. */
    forget: (): void => keys.clear(),
  }
}

/** `randomUUID` does not exist on pages without HTTPS. */
const randomKey = (): string =>
  [...crypto.getRandomValues(new Uint32Array(4))].map((part) => part.toString(36)).join('-')
