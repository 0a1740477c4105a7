import type { DescribeSpan, Tracer } from '../tracer.ts'
import type { OpenSource } from './open-source.ts'
import type { ScanPage, Source } from './source.ts'

/** Records each call of a source as a span: opening it, a page of a scan, the read of one server, the plan of an action and each of its requests. */
export function traceSources(openSource: OpenSource, tracer: Tracer): OpenSource {
  const callOf =
    (provider: string) =>
    <Result>(name: string, work: (describe: DescribeSpan) => Promise<Result>) =>
      tracer.run(name, 'client', (describe) => {
        describe({ 'muster.provider': provider })
        return work(describe)
      })

  function trace(source: Source, provider: string): Source {
    const call = callOf(provider)
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
      callOf(account.provider)('source open', async () =>
        trace(await openSource.openAccount(account, ...rest), account.provider),
      ),
    openActor: (account, signal) =>
      callOf(account.provider)('source open', async () => {
        const actor = await openSource.openActor(account, signal)
        const call = callOf(account.provider)
        return {
          ...actor,
          plan: (...parameters) => call('source plan', () => actor.plan(...parameters)),
          send: (...parameters) => call('source send', () => actor.send(...parameters)),
        }
      }),
  }
}
