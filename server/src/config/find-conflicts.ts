import { createSecureContext } from 'node:tls'
import type { Parsed } from './read-config.ts'

type Check = (parsed: Parsed) => string | undefined

const requireBothTlsFiles: Check = ({ tlsCert, tlsKey }) =>
  (tlsCert === undefined) === (tlsKey === undefined)
    ? undefined
    : '--tls-cert and --tls-key must be given together'

const requireUsableCertificate: Check = ({ tlsCert, tlsKey }) => {
  if (tlsCert === undefined || tlsKey === undefined) return undefined
  try {
    createSecureContext({ cert: tlsCert, key: tlsKey })
    return undefined
  } catch {
    return '--tls-cert and --tls-key must be a PEM certificate and its private key'
  }
}

const requireDemo: Check = ({ demo, demoServers }) =>
  demoServers === undefined || demo ? undefined : '--demo-servers needs --demo'

/** A gateway forwards requests to the API. It needs the address of each role that this process does not have. */
const requireUpstream: Check = ({ roles, authUrl, baseUrl }) => {
  if (!roles.includes('gateway')) return undefined
  const missing = [
    ...(roles.includes('identity') || authUrl !== undefined ? [] : ['--auth-url']),
    ...(roles.includes('platform') || baseUrl !== undefined ? [] : ['--base-url']),
  ]
  return missing.length === 0
    ? undefined
    : `--roles ${roles.join(',')} needs ${missing.join(' and ')}: the gateway forwards requests to this address`
}

const requireStorageForDemo: Check = ({ roles, demo }) =>
  demo && roles.every((role) => role === 'gateway')
    ? '--demo needs the role identity or platform: a gateway stores no servers'
    : undefined

const requireKeyForPostgres: Check = ({ databaseUrl, secretKeyFile }) =>
  databaseUrl !== undefined && secretKeyFile === undefined
    ? 'MUSTER_SECRET_KEY_FILE is required with PostgreSQL: all processes must use the same key (the file is created if it does not exist)'
    : undefined

const requireCollector: Check = ({ otlpEndpoint, otlpHeaders }) =>
  otlpHeaders === undefined || otlpEndpoint !== undefined
    ? undefined
    : 'MUSTER_OTLP_HEADERS needs --otlp-endpoint'

const requireBothOfWebhook: Check = ({ eventsWebhook, eventsWebhookSecret }) =>
  (eventsWebhook === undefined) === (eventsWebhookSecret === undefined)
    ? undefined
    : '--events-webhook and MUSTER_EVENTS_WEBHOOK_SECRET must be given together'

/** Settings that are valid on their own, but not together. */
export const findConflicts = (parsed: Parsed): string[] =>
  [
    requireBothTlsFiles,
    requireUsableCertificate,
    requireDemo,
    requireUpstream,
    requireStorageForDemo,
    requireKeyForPostgres,
    requireCollector,
    requireBothOfWebhook,
  ].flatMap((check) => check(parsed) ?? [])
