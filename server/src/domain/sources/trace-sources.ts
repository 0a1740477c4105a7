import type { DescribeSpan, Tracer } from '../tracer.ts'
import type { OpenSource } from './open-source.ts'
import type { ScanPage, Source } from './source.ts'

/** Records each call of a source as a span: opening it, a page of a scan, and the read of one server. */
export function traceSources(openSource: OpenSource, tracer: Tracer): OpenSource {
  function trace(source: Source, provider: string): Source {
    const call = <Result>(name: string, work: (describe: DescribeSpan) => Promise<Result>) =>
      tracer.run(name, 'client', (describe) => {
        describe({ 'muster.provider': provider })
        return work(describe)
      })
    async function* scan(signal: AbortSignal): AsyncIterable<ScanPage> {
      const pages = source.scan(signal)[Symbol.asyncIterator]()
      try {
        for (;;) {
          const page = await call('source page', async (describe) => {
            const next = await pages.next()
            if (next.done !== true) describe({ 'muster.servers': next.value.present.length })
            return next
          })
          if (page.done === true) return
          yield page.value
        }
      } finally {
        await pages.return?.()
      }
    }
    return {
      ...source,
      scan,
      get: (...parameters) => call('source get', () => source.get(...parameters)),
    }
  }

  return {
    ...openSource,
    openAccount: (account, ...rest) =>
      tracer.run('source open', 'client', async (describe) => {
        describe({ 'muster.provider': account.provider })
        return trace(await openSource.openAccount(account, ...rest), account.provider)
      }),
  }
}
