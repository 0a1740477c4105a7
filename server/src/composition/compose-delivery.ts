import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../config/read-config.ts'
import { createEventDelivery } from '../domain/audit/deliver-events.ts'
import type { EventSink } from '../domain/audit/event-sink.ts'
import type { Clock } from '../domain/clock.ts'
import { createSourceAddressRule } from '../egress/allowed-addresses.ts'
import { createEgress } from '../egress/egress.ts'
import { createSyslogSink } from '../egress/syslog-sink.ts'
import { createWebhookSink } from '../egress/webhook-sink.ts'
import type { Database } from '../storage/database.ts'
import { createEventLog, createSinkStore } from '../storage/event-sinks.ts'
import { createChangeLog } from '../storage/history/change-log.ts'

interface Parts {
  readonly config: Config
  readonly database: Database
  readonly publicUrl: string
  readonly logger: FastifyBaseLogger
  readonly clock: Clock
}

type Records = Config['eventsWebhookRecords']

/** Creates the delivery to each receiver in the settings. A process that is only a gateway delivers nothing. */
export function composeDelivery({ config, database, publicUrl, logger, clock }: Parts) {
  const { eventsWebhook, eventsWebhookSecret, eventsSyslog, eventsCa, roles } = config
  if (roles.every((role) => role === 'gateway')) return []
  const egress = createEgress(createSourceAddressRule(config.sourceAllow))
  const runner = database.engine === 'sqlite' ? 'local' : randomUUID()
  const events = createSinkStore(database, createEventLog(database))
  const changes = createSinkStore(database, createChangeLog(database, clock))
  const common = { runner, clock, log: logger }

  /** One delivery for each record: a receiver can be at different places in them. */
  const deliveriesTo = (create: () => EventSink, records: Records) => [
    ...(records === 'changes'
      ? []
      : [createEventDelivery({ ...common, sink: create(), store: events })]),
    ...(records === 'events'
      ? []
      : [createEventDelivery({ ...common, sink: forChanges(create()), store: changes })]),
  ]
  const webhook =
    eventsWebhook !== undefined && eventsWebhookSecret
      ? () =>
          createWebhookSink(egress, {
            url: eventsWebhook,
            keys: eventsWebhookSecret,
            ca: eventsCa,
            source: publicUrl,
            clock,
          })
      : undefined
  const syslog =
    eventsSyslog &&
    (() => createSyslogSink(egress, { ...eventsSyslog, ca: eventsCa, hostname: hostname() }))
  return [
    ...(webhook ? deliveriesTo(webhook, config.eventsWebhookRecords) : []),
    ...(syslog ? deliveriesTo(syslog, config.eventsSyslogRecords) : []),
  ]
}

const forChanges = (sink: EventSink): EventSink => ({
  ...sink,
  name: sink.name === 'webhook' ? 'webhook-changes' : 'syslog-changes',
})
