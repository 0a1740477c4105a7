import { chooseAddress, type AddressChoice } from './choose-address.ts'
import type { FeedFormat } from './feed-format.ts'
import { listFields, listTags } from './feed-values.ts'

interface Options {
  readonly address: AddressChoice
  readonly port: number
}

const metaLabel = (name: string) => `__meta_muster_${name.replaceAll(/[^A-Za-z0-9_]/g, '_')}`

/** A list of targets as `http_sd_configs` of Prometheus reads it. */
export function formatPrometheusTargets({ address: choice, port }: Options): FeedFormat {
  let separator = ''
  return {
    head: '[',
    row(server) {
      const address = chooseAddress(server, choice)
      if (address === undefined) return ''
      const host = address.includes(':') ? `[${address}]` : address
      const tags = listTags(server).map(([key, value]) => [`tag_${key}`, value] as const)
      // Keys that differ only in other characters have the same label. The first one has it.
      const labels = [...listFields(server), ...tags.toReversed()].map(
        ([name, value]) => [metaLabel(name), value] as const,
      )
      const target = { targets: [`${host}:${port}`], labels: Object.fromEntries(labels) }
      const text = separator + JSON.stringify(target)
      separator = ',\n'
      return text
    },
    tail: () => [']\n'],
  }
}
