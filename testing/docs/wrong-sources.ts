import type { ScanPage, Source, SourceKind } from '../../server/src/domain/sources/source.ts'
import { createHttpClient } from '../../server/src/sources/shared/http-client.ts'
import { parseJson, requireList, textOf } from '../../server/src/sources/shared/json.ts'
import { withRetries } from '../../server/src/sources/shared/retry.ts'
import { statusError } from '../../server/src/sources/shared/status-error.ts'
import { readTlsSettings } from '../../server/src/sources/shared/tls-settings.ts'

const otherRequests = 'leaves out nothing without a reason if another request fails'

/** Mistakes of a source, the test of the kit that must find each, and how it fails. */
export const mistakes = {
  /** Leaves out facts if the request for them fails. */
  'drop-facts': [otherRequests, /facts are left out/],
  /** Leaves out networks if the request for them fails. */
  'drop-networks': [otherRequests, /reports networks n-1 differently/],
  /** Keeps its connections open. */
  'no-close': ['closes its connections', /test timed out/],
  /** Ignores the signal of a scan. */
  hang: ['stops at once when it is aborted', /test timed out/],
  /** Ends normally if a page after the first one fails. */
  'ignore-late': ['throws if a later page fails', /ends normally without these servers/],
  /** Identifies servers by their names. */
  'key-name': [
    'keeps the key of a server that is renamed',
    /Expected values to be strictly deep-equal/,
  ],
} as const

/** The example with networks from a second request, and one mistake, or none. */
export const withMistake = (example: SourceKind, mistake: string | undefined): SourceKind => ({
  ...example,
  async open(settings, context, signal): Promise<Source> {
    const source = await example.open(settings, context, signal)
    const http = createHttpClient(context, readTlsSettings(settings))
    const url = new URL('/networks', settings.address)
    const headers = { authorization: `Bearer ${settings.credentials['token']}` }

    const readNetworks = (stop: AbortSignal) =>
      withRetries(
        async () => {
          const response = await http.send({ url, headers }, stop)
          const request = { host: url.host, action: 'list networks' }
          if (response.status !== 200) throw statusError(response, request)
          const json = parseJson(response.body, url.host)
          return requireList(json, 'networks', 'networks').map((network) => ({
            id: textOf(network, 'id'),
            name: textOf(network, 'name'),
          }))
        },
        url.host,
        stop,
      )

    /** Servers name their network only if it is reported. */
    async function complete(page: ScanPage, stop: AbortSignal): Promise<ScanPage> {
      const networks = await readNetworks(stop).catch((error: unknown) => {
        if (mistake === 'drop-facts' || mistake === 'drop-networks') return []
        throw error
      })
      const isNamed = mistake !== 'drop-networks' && networks.length > 0
      const present = page.present.map(({ facts, key, ...server }) => ({
        ...server,
        key: mistake === 'key-name' ? ['example', facts.name] : key,
        facts: { ...facts, ...(isNamed && { notes: { network: networks[0]?.name ?? '' } }) },
      }))
      return { ...page, present, resources: mistake === 'drop-facts' ? {} : { networks } }
    }

    return {
      ...source,
      async *scan(stop) {
        const obeyed = mistake === 'hang' ? new AbortController().signal : stop
        let hasYielded = false
        try {
          for await (const page of source.scan(obeyed)) {
            yield await complete(page, obeyed)
            hasYielded = true
          }
        } catch (error) {
          if (mistake !== 'ignore-late' || !hasYielded) throw error
        }
      },
      async get(reference, stop) {
        const found = await source.get(reference, stop)
        if (!found || !('facts' in found)) return found
        return (await complete({ present: [found], gone: [] }, stop)).present[0]
      },
      async close() {
        if (mistake === 'no-close') return
        http.close()
        await source.close()
      },
    }
  },
})
