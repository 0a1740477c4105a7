import { registerHooks } from 'node:module'

/** Loaded with `--import` into every process and thread of a test run that has one mutant. */
export const mutantVariable = 'MUSTER_MUTANT'

export interface Replacement {
  readonly url: string
  readonly start: number
  readonly end: number
  readonly text: string
}

const value = process.env[mutantVariable]
if (value !== undefined) {
  const { url, start, end, text } = JSON.parse(value) as Replacement
  registerHooks({
    load(loaded, context, nextLoad) {
      const result = nextLoad(loaded, context)
      if (loaded !== url) return result
      const source = Buffer.from(result.source as Uint8Array).toString()
      return { ...result, source: source.slice(0, start) + text + source.slice(end) }
    },
  })
}
