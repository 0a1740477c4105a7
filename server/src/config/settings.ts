import { resolve } from 'node:path'
import {
  databaseAddress,
  duration,
  filled,
  hostNameOrAddress,
  integer,
  listOf,
  network,
  networkOrHost,
  oneOf,
  someOf,
  switchedOn,
  textFile,
  webAddress,
  word,
} from './parsers.ts'

export interface Setting<Value> {
  /** Absent for a secret, which would show in the list of processes. */
  readonly flag?: string
  readonly variable: string
  /** What follows the flag; absent for a switch, whose flag alone turns it on. */
  readonly value?: string
  readonly help: string
  readonly parse: (text: string) => Value
  /** As text, the way an operator would write it; absent: the setting may be missing. */
  readonly fallback?: string
}

const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
const parts = ['identity', 'platform', 'gateway'] as const

const setting = <Value>(definition: Setting<Value> & { readonly fallback: string }) => definition
const optional = <Value>(definition: Setting<Value>): Setting<Value | undefined> => definition

/** Every setting there is, with its line of help. */
export const settings = {
  port: setting({
    flag: 'port',
    variable: 'MUSTER_PORT',
    value: 'number',
    help: 'port to listen on; 0 takes a free one',
    parse: integer(0, 65_535),
    fallback: '8400',
  }),
  host: setting({
    flag: 'host',
    variable: 'MUSTER_HOST',
    value: 'address',
    help: 'address to listen on; 0.0.0.0 for all',
    parse: filled,
    fallback: '127.0.0.1',
  }),
  dataDir: setting({
    flag: 'data-dir',
    variable: 'MUSTER_DATA_DIR',
    value: 'folder',
    help: 'where the SQLite database and the secret key live',
    parse: (text) => resolve(filled(text)),
    fallback: './data',
  }),
  databaseUrl: optional({
    flag: 'database-url',
    variable: 'MUSTER_DATABASE_URL',
    value: 'postgres://…',
    help: 'PostgreSQL instead of SQLite; any number of processes can share it',
    parse: databaseAddress,
  }),
  databaseConnections: setting({
    flag: 'database-connections',
    variable: 'MUSTER_DATABASE_CONNECTIONS',
    value: 'number',
    help: 'connections to PostgreSQL for requests, per thread',
    parse: integer(1, 1_000),
    fallback: '10',
  }),
  databaseTimeout: setting({
    flag: 'database-timeout',
    variable: 'MUSTER_DATABASE_TIMEOUT',
    value: 'time',
    help: 'longest that PostgreSQL may take for a statement of a request',
    parse: duration,
    fallback: '5s',
  }),
  databaseSlowConnections: setting({
    flag: 'database-slow-connections',
    variable: 'MUSTER_DATABASE_SLOW_CONNECTIONS',
    value: 'number',
    help: 'connections to PostgreSQL for slow queries: search, statistics, exports',
    parse: integer(1, 1_000),
    fallback: '4',
  }),
  databaseSlowTimeout: setting({
    flag: 'database-slow-timeout',
    variable: 'MUSTER_DATABASE_SLOW_TIMEOUT',
    value: 'time',
    help: 'longest that PostgreSQL may take for a slow query',
    parse: duration,
    fallback: '30s',
  }),
  databaseSyncConnections: setting({
    flag: 'database-sync-connections',
    variable: 'MUSTER_DATABASE_SYNC_CONNECTIONS',
    value: 'number',
    help: 'connections to PostgreSQL for writing what sources say',
    parse: integer(1, 1_000),
    fallback: '4',
  }),
  databaseSyncTimeout: setting({
    flag: 'database-sync-timeout',
    variable: 'MUSTER_DATABASE_SYNC_TIMEOUT',
    value: 'time',
    help: 'longest that PostgreSQL may take for a statement of such a write',
    parse: duration,
    fallback: '60s',
  }),
  adminPassword: optional({
    variable: 'MUSTER_ADMIN_PASSWORD',
    value: 'text',
    help: "the first admin's password, used at first start only (else a random one is printed once)",
    parse: filled,
  }),
  secretKeyFile: optional({
    flag: 'secret-key-file',
    variable: 'MUSTER_SECRET_KEY_FILE',
    value: 'file',
    help: 'key that seals secrets (default: secret.key in the data folder; required with PostgreSQL)',
    parse: (text) => resolve(filled(text)),
  }),
  publicUrl: optional({
    flag: 'public-url',
    variable: 'MUSTER_PUBLIC_URL',
    value: 'url',
    help: 'address that clients use, where it is not the one listened on',
    parse: webAddress,
  }),
  authUrl: optional({
    flag: 'auth-url',
    variable: 'MUSTER_AUTH_URL',
    value: 'url',
    help: 'address of identity, where it is not the public one',
    parse: webAddress,
  }),
  baseUrl: optional({
    flag: 'base-url',
    variable: 'MUSTER_BASE_URL',
    value: 'url',
    help: 'address of the platform API, where it is not the public one',
    parse: webAddress,
  }),
  allowedHosts: setting({
    flag: 'allowed-hosts',
    variable: 'MUSTER_ALLOWED_HOSTS',
    value: 'list',
    help: 'further host names that clients may use; on a loopback address all others get 421',
    parse: listOf(hostNameOrAddress),
    fallback: '',
  }),
  roles: setting({
    flag: 'roles',
    variable: 'MUSTER_ROLES',
    value: 'list',
    help: `parts that this process serves: ${parts.join(', ')}`,
    parse: someOf(oneOf(parts)),
    fallback: parts.join(','),
  }),
  tokenTtl: setting({
    flag: 'token-ttl',
    variable: 'MUSTER_TOKEN_TTL',
    value: 'time',
    help: 'how long a token lives: seconds, or 90m, 24h, 7d',
    parse: duration,
    fallback: '24h',
  }),
  sessionIdle: setting({
    flag: 'session-idle',
    variable: 'MUSTER_SESSION_IDLE',
    value: 'time',
    help: "how long a browser's session lasts in which nothing is done",
    parse: duration,
    fallback: '8h',
  }),
  tlsCert: optional({
    flag: 'tls-cert',
    variable: 'MUSTER_TLS_CERT',
    value: 'file',
    help: 'certificate chain (PEM); turns TLS on together with the key',
    parse: textFile,
  }),
  tlsKey: optional({
    flag: 'tls-key',
    variable: 'MUSTER_TLS_KEY',
    value: 'file',
    help: "the certificate's private key (PEM)",
    parse: textFile,
  }),
  trustedProxies: setting({
    flag: 'trusted-proxies',
    variable: 'MUSTER_TRUSTED_PROXIES',
    value: 'list',
    help: 'addresses or networks whose X-Forwarded-For is believed',
    parse: listOf(network),
    fallback: '',
  }),
  sourceAllow: setting({
    flag: 'source-allow',
    variable: 'MUSTER_SOURCE_ALLOW',
    value: 'list',
    help: 'hosts and networks beyond the open internet that Muster may reach out to, such as a CAS server',
    parse: listOf(networkOrHost),
    fallback: '',
  }),
  consoleBuild: setting({
    flag: 'console-build',
    variable: 'MUSTER_CONSOLE_BUILD',
    value: 'true|false',
    help: 'whether the console is built at start where it is missing or has changed',
    parse: switchedOn,
    fallback: 'true',
  }),
  eventRetention: setting({
    flag: 'event-retention',
    variable: 'MUSTER_EVENT_RETENTION',
    value: 'time',
    help: 'how long the audit log is kept',
    parse: duration,
    fallback: '180d',
  }),
  demo: setting({
    flag: 'demo',
    variable: 'MUSTER_DEMO',
    help: 'fill with a simulated fleet, and with people to try it as',
    parse: switchedOn,
    fallback: 'false',
  }),
  demoServers: optional({
    flag: 'demo-servers',
    variable: 'MUSTER_DEMO_SERVERS',
    value: 'number',
    help: 'how many servers the demo has (default: 1000, later as many as it has); it can only grow',
    parse: integer(1, 2_000_000),
  }),
  deletedRetention: setting({
    flag: 'deleted-retention',
    variable: 'MUSTER_DELETED_RETENTION',
    value: 'time',
    help: 'how long deleted servers are kept',
    parse: duration,
    fallback: '30d',
  }),
  loginFailuresPerMinute: setting({
    flag: 'login-failures-per-minute',
    variable: 'MUSTER_LOGIN_FAILURES_PER_MINUTE',
    value: 'number',
    help: 'failed logins by one method from one address before that gets 429; 0 for no limit',
    parse: integer(0, 1_000_000),
    fallback: '100',
  }),
  requestsPerMinute: setting({
    flag: 'requests-per-minute',
    variable: 'MUSTER_REQUESTS_PER_MINUTE',
    value: 'number',
    help: 'requests with one token before it gets 429; 0 for no limit',
    parse: integer(0, 100_000_000),
    fallback: '0',
  }),
  region: setting({
    flag: 'region',
    variable: 'MUSTER_REGION',
    value: 'name',
    help: "the catalog's region",
    parse: word,
    fallback: 'region0',
  }),
  platformName: setting({
    flag: 'platform-name',
    variable: 'MUSTER_PLATFORM_NAME',
    value: 'name',
    help: 'the word in the header x-<name>-request-id',
    parse: word,
    fallback: 'muster',
  }),
  logLevel: setting({
    flag: 'log-level',
    variable: 'MUSTER_LOG_LEVEL',
    value: 'level',
    help: levels.join(', '),
    parse: oneOf(levels),
    fallback: 'info',
  }),
}
