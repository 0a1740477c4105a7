import type { ClientResponse } from './client.ts'

const passing = new Set(['date', 'x-request-id', 'x-muster-request-id'])

/** What of an answer must not differ from one time to the next: all but its date, ids and time. */
export const comparableParts = ({ status, headers, text }: ClientResponse) => ({
  status,
  headers: [...headers].filter(([name]) => !passing.has(name)),
  text: text
    .replace(/"request_id":"[^"]*"/, '')
    .replace(/"time":"[^"]*"/, '')
    // How it goes with an account goes on whoever asks.
    .replaceAll(/"(?:duration_ms":\d+|sync":\{[^}]*\}|status":"(?:init|disconnected)")/g, ''),
})
