import type { Fetch } from '../index.ts'

/** A `fetch` that records calls, such as `POST /v3/auth/tokens 201`. */
export function createCountedFetch() {
  const calls: string[] = []
  const countedFetch: Fetch = async (address, init) => {
    const response = await fetch(address, init)
    const { pathname } = new URL(address)
    calls.push(`${init.method} ${pathname} ${response.status}`)
    return response
  }
  return {
    calls,
    fetch: countedFetch,
    count: (call: string) => calls.filter((made) => made === call).length,
  }
}
