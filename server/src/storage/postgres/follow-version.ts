import pg from 'pg'

const period = 250
const trust = 3_000
const unknown = -1
/** More changes than one connection will ever see. */
const eraSize = 2 ** 40

/**
 * Keeps up with the version of the identity data that other processes write. It asks four times a
 * second on a connection of its own; an answer is trusted for three seconds from when it was asked
 * for, so a process that has lost touch knows it well inside the five seconds it has.
 */
export function followVersion(connection: pg.ClientConfig) {
  let known = unknown
  let era = -1
  let askedAt = Number.NEGATIVE_INFINITY
  let client: pg.Client | undefined
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  let asking = Promise.resolve()
  const first = Promise.withResolvers<void>()

  const advance = (version: number) => {
    known = Math.max(known, version)
  }

  async function connect(): Promise<pg.Client> {
    const fresh = new pg.Client({
      ...connection,
      connectionTimeoutMillis: 2_000,
      query_timeout: 2_000,
    })
    fresh.on('error', () => {
      if (client === fresh) client = undefined
    })
    await fresh.connect()
    // Behind a new connection may be another server, whose count is not a continuation of the last.
    era += 1
    known = unknown
    return fresh
  }

  async function ask(): Promise<void> {
    const start = performance.now()
    try {
      client ??= await connect()
      const { rows } = await client.query<{ version: number }>(
        'select version from identity_version',
      )
      advance(Number(rows[0]?.version))
      askedAt = start
      first.resolve()
    } catch (error) {
      const lost = client
      client = undefined
      await lost?.end().catch(() => {})
      first.reject(error)
    }
    if (!stopped) timer = setTimeout(next, period)
  }
  const next = () => {
    asking = ask()
  }
  next()

  return {
    firstAnswer: first.promise,
    advance,
    current: () => {
      const isInTouch = known !== unknown && performance.now() - askedAt < trust
      return isInTouch ? era * eraSize + known : undefined
    },
    async stop(): Promise<void> {
      stopped = true
      clearTimeout(timer)
      await asking
      await client?.end()
    },
  }
}
