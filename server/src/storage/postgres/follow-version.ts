import type pg from 'pg'
import { createServerVersions, versionsPerRestart } from '../server-versions.ts'
import type { Hosts } from './hosts.ts'

const period = 250
const trust = 3_000
/** Servers that somebody wrote are seen by everybody within a second: asked, answered and all. */
const fleetTrust = 800
const unknown = -1

interface News {
  readonly identity: number
  readonly fleet: number
}

const readNews =
  'select (select version from identity_version) as identity, version as fleet from fleet_version'
const readScopes = 'select scope, version from scope_versions where version > $1'

/**
 * Keeps up with what other processes write: with the version of the identity data, and with whose
 * servers have changed. It asks four times a second on a connection of its own; an answer about
 * identity is trusted for three seconds from when it was asked for, so a process that has lost touch
 * knows it well inside the five seconds it has.
 */
export function followVersion(hosts: Hosts) {
  const fleet = createServerVersions()
  let known = unknown
  let era = -1
  let askedAt = Number.NEGATIVE_INFINITY
  let client: pg.Client | undefined
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  let isFirstNews = true
  let heard = 0
  let heardIdentity = unknown
  let asking = Promise.resolve()
  const first = Promise.withResolvers<void>()

  const advance = (version: number) => {
    known = Math.max(known, version)
  }

  /** Behind a new connection may be another server, whose count is not a continuation of the last. */
  function startEra(): void {
    era += 1
    known = unknown
    isFirstNews = true
    heardIdentity = unknown
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
    startEra()
    return fresh
  }

  async function disconnect(): Promise<void> {
    const left = client
    client = undefined
    await left?.end().catch(() => {})
  }

  /** Own writes may have come between those of others: what was asked for last is counted apart. */
  async function followFleet(connected: pg.Client, version: number): Promise<void> {
    // A server that has fallen back behind what was heard is another one: a standby that took over.
    if (isFirstNews || version < heard) fleet.restart(version)
    else if (version > heard) {
      const { rows } = await connected.query<{ scope: string; version: number }>(readScopes, [
        heard,
      ])
      for (const row of rows) fleet.advance(row.version, [row.scope])
      fleet.advance(version, [])
    }
    isFirstNews = false
    heard = version
  }

  async function run(): Promise<void> {
    const start = performance.now()
    try {
      if (client && !hosts.isInUse(client)) await disconnect()
      client ??= await connect()
      const { rows } = await client.query<News>(readNews)
      const [news] = rows
      if (!news) throw new Error('the version of the data is missing')
      if (news.identity < heardIdentity) startEra()
      heardIdentity = news.identity
      await followFleet(client, news.fleet)
      advance(news.identity)
      askedAt = start
      first.resolve()
    } catch (error) {
      hosts.leave(client)
      await disconnect()
      first.reject(error)
    }
    if (!stopped) timer = setTimeout(next, period)
  }
  const next = () => {
    asking = run()
  }
  next()

  return {
    firstAnswer: first.promise,
    advance,
    current: () => {
      const isInTouch = known !== unknown && performance.now() - askedAt < trust
      return isInTouch ? era * versionsPerRestart + known : undefined
    },
    /** Own writes are known at once. */
    advanceServers: fleet.advance,
    serversVersion: (scope?: string) =>
      known !== unknown && performance.now() - askedAt < fleetTrust ? fleet.of(scope) : undefined,
    async stop(): Promise<void> {
      stopped = true
      clearTimeout(timer)
      await asking
      await client?.end()
    },
  }
}
