import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../config/read-config.ts'
import { createEventDelivery } from '../domain/audit/deliver-events.ts'
import type { SinkStore } from '../domain/audit/event-sink.ts'
import type { Clock } from '../domain/clock.ts'
import { createSourceAddressRule } from '../egress/allowed-addresses.ts'
import { createEgress } from '../egress/egress.ts'
import { createSyslogSink } from '../egress/syslog-sink.ts'
import { createWebhookSink } from '../egress/webhook-sink.ts'
import type { Database } from '../storage/database.ts'

interface Parts {
  readonly config: Config
  readonly database: Pick<Database, 'engine'>
  readonly sinks: SinkStore
  readonly publicUrl: string
  readonly logger: FastifyBaseLogger
  readonly clock: Clock
}

/** Creates the delivery of events to each receiver in the settings. A process that is only a gateway has no events. */
export function composeDelivery({ config, database, sinks, publicUrl, logger, clock }: Parts) {
  const { eventsWebhook, eventsWebhookSecret, eventsSyslog, eventsCa, roles } = config
  if (roles.every((role) => role === 'gateway')) return []
  const egress = createEgress(createSourceAddressRule(config.sourceAllow))
  const runner = database.engine === 'sqlite' ? 'local' : randomUUID()
  const receivers = [
    ...(eventsWebhook !== undefined && eventsWebhookSecret
      ? [
          createWebhookSink(egress, {
            url: eventsWebhook,
            keys: eventsWebhookSecret,
            ca: eventsCa,
            source: publicUrl,
            clock,
          }),
        ]
      : []),
    ...(eventsSyslog
      ? [createSyslogSink(egress, { ...eventsSyslog, ca: eventsCa, hostname: hostname() })]
      : []),
  ]
  return receivers.map((sink) =>
    createEventDelivery({ sink, store: sinks, runner, clock, log: logger }),
  )
}
