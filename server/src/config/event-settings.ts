import { someOf, syslogAddress, textFile, webhookAddress, webhookSecret } from './parsers.ts'
import { optional } from './setting.ts'

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
  eventsSyslog: optional({
    flag: 'events-syslog',
    variable: 'MUSTER_EVENTS_SYSLOG',
    value: 'url',
    help: 'Deliver audit events by syslog (RFC 5424): tls://host:6514 or tcp://host:601.',
    parse: syslogAddress,
  }),
  eventsCa: optional({
    flag: 'events-ca',
    variable: 'MUSTER_EVENTS_CA',
    value: 'file',
    help: 'Certificate authority of the webhook and the syslog server, in PEM. Default: public authorities.',
    parse: textFile,
  }),
}
