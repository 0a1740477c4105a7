import { randomUUID } from 'node:crypto'
import type { Config } from '../config/read-config.ts'
import { createSourceAddressRule, hostOf } from '../egress/allowed-addresses.ts'
import { createEgress } from '../egress/egress.ts'
import { createHttpClient } from '../sources/shared/http-client.ts'
import { encodeSpans } from '../tracing/encode-spans.ts'
import { createSpanExporter } from '../tracing/span-exporter.ts'
import { createTracer } from '../tracing/tracer.ts'
import { version } from '../version.ts'

interface Parts {
  readonly endpoint: string
  readonly config: Pick<Config, 'otlpHeaders' | 'traceSampleRatio' | 'sourceAllow'>
  readonly logger: Parameters<typeof createSpanExporter>[0]['log']
}

/** Milliseconds for one batch of spans. */
const timeLimit = 5_000

/** Composes the export of traces to a collector. */
export function composeTracing({ endpoint, config, logger }: Parts) {
  const { otlpHeaders = {}, traceSampleRatio: ratio } = config
  const url = new URL(`${endpoint}/v1/traces`)
  // The operator names the collector, so its own host is allowed here, and only here.
  const rule = createSourceAddressRule([...config.sourceAllow, hostOf(url)])
  const client = createHttpClient({
    egress: createEgress(rule),
    throttle: async () => {},
    timeLimit,
    clock: Date.now,
  })
  const resource = {
    'service.name': 'muster',
    'service.version': version,
    'service.instance.id': randomUUID(),
  }
  const exporter = createSpanExporter({
    log: logger,
    async send(spans, signal) {
      const body = encodeSpans(resource, spans)
      const headers = { ...otlpHeaders, 'content-type': 'application/json' }
      const { status } = await client.send({ url, method: 'POST', headers, body }, signal)
      if (status < 200 || status > 299) throw new Error(`${url.host} answered with ${status}.`)
    },
  })
  return {
    ratio,
    add: exporter.add,
    counts: exporter.counts,
    tracer: createTracer(ratio, exporter.add),
    async stop(): Promise<void> {
      await exporter.stop()
      client.close()
    },
  }
}
export type Tracing = ReturnType<typeof composeTracing>
