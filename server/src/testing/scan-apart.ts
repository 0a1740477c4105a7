import { readFileSync } from 'node:fs'
import { limitServer } from '../domain/sources/limit-facts.ts'
import type { ScanPage, SourceSettings } from '../domain/sources/source.ts'
import { kinds } from '../sources/kinds.ts'
import { conformanceContext } from './inventory-world/scan-source.ts'

/**
 * A process that scans a source on request and reports the growth of its memory. The fake source runs in
 * another process, so that only the client is measured. Started with `--expose-gc`.
 */
export interface ScanOrder {
  readonly provider: string
  readonly settings: SourceSettings
  /** Follows events until they fail, instead of a scan. */
  readonly isWatch: boolean
}

export interface ScanResult {
  readonly names: readonly string[]
  readonly unreadable: readonly string[]
  readonly cut: readonly string[]
  /** Empty after success. */
  readonly error: string
  /** The errors of parts that failed alone. */
  readonly failures: readonly string[]
  /** The largest growth of `RssAnon` since the first scan, in MB. */
  readonly growth: number
}

const readAnonymous = () =>
  Number(/RssAnon:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1_024

let base: number | undefined
/**
 * Shorter than the product's, because some responses end with it only. On a busy machine it takes seconds to
 * send as much as the limits allow.
 */
const context = { ...conformanceContext, timeLimit: 15_000 }

async function scan({ provider, settings, isWatch }: ScanOrder): Promise<ScanResult> {
  // The garbage of the scan before does not count.
  globalThis.gc?.()
  let largest = readAnonymous()
  const note = () => (largest = Math.max(largest, readAnonymous()))
  const timer = setInterval(note, 5)
  const [names, unreadable, cut]: [string[], string[], string[]] = [[], [], []]
  let error = ''
  const failures: string[] = []
  try {
    const kind = await kinds.get(provider)?.()
    const signal = AbortSignal.timeout(60_000)
    const source = await kind?.open(settings, context, signal)
    if (!source) throw new Error(`no ${provider}`)
    try {
      for await (const page of isWatch ? (source.watch?.(signal) ?? []) : source.scan(signal)) {
        for (const { server, isCut } of page.present.map(limitServer)) {
          names.push(server.facts.name)
          if (isCut) cut.push(server.facts.name)
        }
        for (const { name } of page.unreadable ?? []) unreadable.push(name)
        const { failed = [] }: ScanPage = page
        for (const { error: partial } of failed) failures.push(`${partial.call} ${partial.message}`)
      }
    } finally {
      await source.close()
    }
  } catch (thrown) {
    error = (thrown as Error).message
  }
  note()
  clearInterval(timer)
  // The first scan loads modules.
  if (base === undefined) {
    globalThis.gc?.()
    base = readAnonymous()
    largest = base
  }
  const growth = Math.round(largest - base)
  return { names: names.sort(), unreadable, cut, error, failures, growth }
}

process.on('message', (order: ScanOrder) => {
  void scan(order).then((result) => process.send?.(result))
})
