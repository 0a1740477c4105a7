import type { CachePolicy } from '@muster/contract'

/** The response headers of each cache policy. */
export const cacheHeaders: Readonly<Record<CachePolicy, Readonly<Record<string, string>>>> = {
  default: { vary: 'Accept-Encoding' },
  private: {
    'cache-control': 'private, no-cache',
    vary: 'X-Auth-Token, Accept, Accept-Encoding',
  },
  revalidate: { 'cache-control': 'no-cache', vary: 'Accept-Encoding' },
  'no-store': { 'cache-control': 'no-store', vary: 'X-Auth-Token' },
}
