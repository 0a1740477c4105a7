import { registerHooks } from 'node:module'

/** Loaded before Muster with `--import`. Muster then records no changes of servers. The product has no such switch. */
const replacement = new URL('no-changes.ts', import.meta.url).href

registerHooks({
  resolve(specifier, context, nextResolve) {
    const resolved = nextResolve(specifier, context)
    const isRecording = resolved.url.endsWith('/storage/history/change-statements.ts')
    return isRecording && context.parentURL !== replacement
      ? { ...resolved, url: replacement }
      : resolved
  },
})
