import type pg from 'pg'
import type { ClockReading } from '../../domain/health.ts'
import { moreExact } from '../../domain/steady-clock.ts'
import { keyFingerprintsSql } from '../key-fingerprint.ts'
import { createServerVersions, versionsPerRestart } from '../server-versions.ts'
import type { Hosts } from './hosts.ts'

const pollInterval = 250
/** Changes of access must take effect everywhere within five seconds. */
const maxIdentityAge = 3_000
/** Changes of servers must be visible everywhere within a second. */
const maxServersAge = 800
const unknown = -1

interface Versions {
  readonly identity: number
  readonly servers: number
  /** Milliseconds since 1970, by the clock of the database. */
  readonly now: number
  readonly keys: string | null
}

const readVersions = `select (select version from identity_version) as identity, version as servers,
  (extract(epoch from clock_timestamp()) * 1000)::float8 as now,
  (${keyFingerprintsSql}) as keys from fleet_version`
const readScopes = 'select scope, version from scope_versions where version > $1'

/**
 * Polls the versions that other processes raise: that of the identity data, and those of the servers
 * by scope. A version counts from when its query was sent, so a process that loses the database knows
 * in time that its caches may be outdated.
 */
export function pollVersions(hosts: Hosts) {
  const servers = createServerVersions()
  let identity = unknown
  let restarts = -1
  let polledAt = Number.NEGATIVE_INFINITY
  let client: pg.Client | undefined
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  let isFirstPoll = true
  let polledServers = 0
  let polledIdentity = unknown
  let clock: ClockReading | undefined
  let keyFingerprints: string | undefined
  let polling = Promise.resolve()
  const first = Promise.withResolvers<void>()

  const advanceIdentity = (version: number) => {
    identity = Math.max(identity, version)
  }

  /** Another PostgreSQL server may answer on a new connection, and its versions start elsewhere. */
  function restart(): void {
    restarts += 1
    identity = unknown
    isFirstPoll = true
    polledIdentity = unknown
  }

  async function connect(): Promise<pg.Client> {
    await hosts.ready()
    const fresh = new hosts.Client({ query_timeout: 2_000 })
    fresh.on('error', () => {
      if (client === fresh) client = undefined
    })
    try {
      await fresh.connect()
      await hosts.check(fresh)
    } catch (error) {
      await fresh.end().catch(() => {})
      throw error
    }
    restart()
    return fresh
  }

  async function disconnect(): Promise<void> {
    const left = client
    client = undefined
    await left?.end().catch(() => {})
  }

  /** Compares with the last poll, not with the latest version: own commits may lie between those of others. */
  async function pollServers(connected: pg.Client, version: number): Promise<void> {
    // A lower version than before means another server: a standby that took over.
    if (isFirstPoll || version < polledServers) servers.restart(version)
    else if (version > polledServers) {
      const { rows } = await connected.query<{ scope: string; version: number }>(readScopes, [
        polledServers,
      ])
      for (const row of rows) servers.advance(row.version, [row.scope])
      servers.advance(version, [])
    }
    isFirstPoll = false
    polledServers = version
  }

  async function poll(): Promise<void> {
    const start = performance.now()
    try {
      if (client && !hosts.isInUse(client)) await disconnect()
      client ??= await connect()
      const sentAt = performance.now()
      const { rows } = await client.query<Versions>(readVersions)
      const uncertainty = (performance.now() - sentAt) / 2
      const [versions] = rows
      if (!versions) throw new Error('the version of the data is missing')
      const reading = { time: versions.now, takenAt: sentAt + uncertainty, uncertainty }
      clock = moreExact(reading, clock)
      keyFingerprints = versions.keys ?? undefined
      if (versions.identity < polledIdentity) restart()
      polledIdentity = versions.identity
      await pollServers(client, versions.servers)
      advanceIdentity(versions.identity)
      polledAt = start
      first.resolve()
    } catch (error) {
      hosts.leave(client)
      await disconnect()
      first.reject(error)
    }
    if (!isStopped) timer = setTimeout(next, pollInterval)
  }
  const next = () => {
    polling = poll()
  }
  next()

  const isYounger = (maxAge: number) =>
    identity !== unknown && performance.now() - polledAt < maxAge

  return {
    firstPoll: first.promise,
    /** The versions of this process's own commits are known at once. */
    advanceIdentity,
    advanceServers: servers.advance,
    identityVersion: () =>
      isYounger(maxIdentityAge) ? restarts * versionsPerRestart + identity : undefined,
    serversVersion: (scope?: string) => (isYounger(maxServersAge) ? servers.of(scope) : undefined),
    /** When the last answered poll was sent, by `performance.now`. */
    answeredAt: () => polledAt,
    clock: () => clock,
    keyFingerprints: () => keyFingerprints,
    async stop(): Promise<void> {
      isStopped = true
      clearTimeout(timer)
      await polling
      await client?.end()
    },
  }
}
