import { oneOf, someOf, syslogAddress, textFile, webhookAddress, webhookSecret } from './parsers.ts'
import { optional, setting } from './setting.ts'

const deliveredRecords = ['events', 'changes', 'both'] as const

/** Where audit events are delivered to. */
export const eventSettings = {
  eventsWebhook: optional({
    flag: 'events-webhook',
    variable: 'MUSTER_EVENTS_WEBHOOK',
    isSecret: true,
    value: 'url',
    help: 'Deliver audit events to this URL, as CloudEvents.',
    parse: webhookAddress,
  }),
  eventsWebhookSecret: optional({
    variable: 'MUSTER_EVENTS_WEBHOOK_SECRET',
    isSecret: true,
    value: 'whsec_…',
    help: 'Secret that signs deliveries to the webhook (Standard Webhooks). Two, with a comma, during a rotation.',
    parse: someOf(webhookSecret),
  }),
  eventsWebhookRecords: setting({
    flag: 'events-webhook-records',
    variable: 'MUSTER_EVENTS_WEBHOOK_RECORDS',
    value: 'events|changes|both',
    help: 'What the webhook gets: audit events, changes of servers, or both.',
    parse: oneOf(deliveredRecords),
    fallback: 'both',
  }),
  eventsSyslog: optional({
    flag: 'events-syslog',
    variable: 'MUSTER_EVENTS_SYSLOG',
    value: 'url',
    help: 'Deliver audit events by syslog (RFC 5424): tls://host:6514 or tcp://host:601.',
    parse: syslogAddress,
  }),
  eventsSyslogRecords: setting({
    flag: 'events-syslog-records',
    variable: 'MUSTER_EVENTS_SYSLOG_RECORDS',
    value: 'events|changes|both',
    help: 'What the syslog server gets: audit events, changes of servers, or both.',
    parse: oneOf(deliveredRecords),
    fallback: 'both',
  }),
  eventsCa: optional({
    flag: 'events-ca',
    variable: 'MUSTER_EVENTS_CA',
    value: 'file',
    help: 'Certificate authority of the webhook and the syslog server, in PEM. Default: public authorities.',
    parse: textFile,
  }),
}
