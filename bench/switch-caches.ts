import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'

/**
 * Loaded before Muster with `--import`. Muster then gets its caches from `switchable-cache.ts`, which turns those off
 * that the file `BENCH_CACHES_OFF` lists. The product has no such switch.
 */
const replacement = new URL('switchable-cache.ts', import.meta.url).href

registerHooks({
  resolve(specifier, context, nextResolve) {
    const resolved = nextResolve(specifier, context)
    const isCache = resolved.url.endsWith('/server/src/domain/cache.ts')
    return isCache && context.parentURL !== replacement
      ? { ...resolved, url: replacement }
      : resolved
  },
})

export const readCachesOff = (): ReadonlySet<string> =>
  new Set(readFileSync(process.env['BENCH_CACHES_OFF'] ?? '', 'utf8').split(','))
