import pg from 'pg'

/** The supported values of `target_session_attrs`. Muster writes, so `read-only` and the like are not. */
const sessionAttributes = ['any', 'read-write', 'primary'] as const
type SessionAttribute = (typeof sessionAttributes)[number]

interface Host {
  /** As written in the URL, without user and password. */
  readonly name: string
  readonly url: string
}

/** An invalid database URL. The message says why and does not contain the password. */
export class DatabaseUrlError extends Error {}

const form = /^(?<scheme>postgres(?:ql)?:\/\/)(?<user>[^@/?]*@)?(?<hosts>[^/?]*)(?<rest>.*)$/s

/** Parses a database URL, which may name several hosts: `postgres://user@a:5432,b,[::1]:5433/name`. */
export function readDatabaseUrl(url: string): {
  readonly hosts: Host[]
  readonly sessionAttribute: SessionAttribute
} {
  const { scheme, user = '', hosts = '', rest = '' } = form.exec(url)?.groups ?? {}
  if (scheme === undefined) {
    throw new DatabaseUrlError('must be a URL that starts with postgres://')
  }
  const names = hosts.split(',')
  const all = names.map((name) => ({ name, url: `${scheme}${user}${name}${rest}` }))
  for (const { name, url: single } of all) {
    if ((name === '' && names.length > 1) || !URL.canParse(single)) {
      throw new DatabaseUrlError(`has an invalid host: "${name}"`)
    }
  }
  const given = new URLSearchParams(rest.split('?')[1]).get('target_session_attrs')
  const sessionAttribute = given ?? (names.length > 1 ? 'read-write' : 'any')
  if (!isSessionAttribute(sessionAttribute)) {
    throw new DatabaseUrlError(
      `has target_session_attrs=${sessionAttribute}: Muster writes, so it must be ${sessionAttributes.join(' or ')}`,
    )
  }
  return { hosts: all, sessionAttribute }
}

const isSessionAttribute = (text: string): text is SessionAttribute =>
  (sessionAttributes as readonly string[]).includes(text)

const longestConnect = 5_000

/** A server that accepts connections but is not of the requested kind. */
export class WrongServer extends Error {}

/** A server of a version that Muster does not support. */
export class OldServer extends WrongServer {}

/**
 * The hosts of a database URL and the one in use: the first that accepts connections and fits
 * `target_session_attrs`, for as long as it does.
 */
export function createHosts(url: string, settings: pg.ClientConfig) {
  const { hosts, sessionAttribute } = readDatabaseUrl(url)
  const isChoice = hosts.length > 1
  let current = isChoice ? undefined : hosts[0]
  let finding: Promise<Host> | undefined
  const hostOf = new WeakMap<pg.ClientBase, Host>()

  const configOf = (host: Host) => ({
    ...settings,
    connectionString: host.url,
    // A server that does not accept a connection in this time counts as down.
    connectionTimeoutMillis: longestConnect,
  })

  /** Throws if the connection leads to a server that does not fit `target_session_attrs`. */
  async function check(client: pg.ClientBase): Promise<void> {
    if (sessionAttribute === 'any') return
    const { rows } = await client.query<{ standby: boolean; read_only: string }>(
      `select pg_is_in_recovery() as standby, current_setting('transaction_read_only') as read_only`,
    )
    const [state] = rows
    if (state?.standby || (sessionAttribute === 'read-write' && state?.read_only !== 'off')) {
      throw new WrongServer(
        `accepts no writes, and target_session_attrs=${sessionAttribute} requires one that does`,
      )
    }
  }

  async function probe(host: Host): Promise<void> {
    const client = new pg.Client({ ...configOf(host), query_timeout: longestConnect })
    client.on('error', () => {})
    try {
      await client.connect()
      await check(client)
    } finally {
      await client.end().catch(() => {})
    }
  }

  async function find(): Promise<Host> {
    const failures: HostFailure[] = []
    for (const host of hosts) {
      try {
        await probe(host)
        return host
      } catch (error) {
        failures.push({ host: host.name, error })
      }
    }
    throw new NoHost(failures)
  }

  return {
    /** A client for the server in use. */
    Client: class extends pg.Client {
      constructor(config: pg.ClientConfig = {}) {
        super(current ? { ...config, ...configOf(current) } : config)
        if (current) hostOf.set(this, current)
      }
    },
    check,
    /** Resolves once it is known which server is in use. */
    async ready(): Promise<void> {
      if (current) return
      finding ??= find().finally(() => (finding = undefined))
      current = await finding
    },
    isInUse: (client: pg.ClientBase) => hostOf.get(client) === current,
    /**
     * The server of this connection (or the one in use) no longer answers or accepts writes, so the
     * next use picks another. False if the URL names no other.
     */
    leave(client?: pg.ClientBase): boolean {
      if (isChoice && (!client || hostOf.get(client) === current)) current = undefined
      return isChoice
    },
  }
}
export type Hosts = ReturnType<typeof createHosts>

interface HostFailure {
  readonly host: string
  readonly error: unknown
}

/** None of the hosts can be used. */
export class NoHost extends Error {
  readonly failures: readonly HostFailure[]

  constructor(failures: readonly HostFailure[]) {
    super('none of the servers can be used', { cause: failures[0]?.error })
    this.failures = failures
  }
}
