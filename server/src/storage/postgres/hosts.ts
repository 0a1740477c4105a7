import pg from 'pg'

/** Which of several servers will do. Muster writes, so those that only read never do. */
const wishes = ['any', 'read-write', 'primary'] as const
type Wish = (typeof wishes)[number]

interface Host {
  /** As it was written, without user and password. */
  readonly name: string
  readonly url: string
}

/** An invalid address of PostgreSQL; the message says why, without the password. */
export class DatabaseUrlError extends Error {}

const form = /^(?<scheme>postgres(?:ql)?:\/\/)(?<user>[^@/?]*@)?(?<hosts>[^/?]*)(?<rest>.*)$/s

/** The hosts of an address, which may name several: `postgres://user@a:5432,b,[::1]:5433/name`. */
export function readDatabaseUrl(url: string): { readonly hosts: Host[]; readonly wish: Wish } {
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
  const wish = given ?? (names.length > 1 ? 'read-write' : 'any')
  if (!isWish(wish)) {
    throw new DatabaseUrlError(
      `has target_session_attrs=${wish}: Muster writes, so it must be ${wishes.join(' or ')}`,
    )
  }
  return { hosts: all, wish }
}

const isWish = (text: string): text is Wish => (wishes as readonly string[]).includes(text)

const longestConnect = 5_000

/** A server that takes connections, and is not what was asked for. */
export class WrongServer extends Error {}

/**
 * The servers that an address names, and which of them is in use: the first that takes connections and
 * is as `target_session_attrs` has it, for as long as that holds.
 */
export function createHosts(url: string, settings: pg.ClientConfig) {
  const { hosts, wish } = readDatabaseUrl(url)
  const isChoice = hosts.length > 1
  let current = isChoice ? undefined : hosts[0]
  let finding: Promise<Host> | undefined
  const hostOf = new WeakMap<pg.ClientBase, Host>()

  const configOf = (host: Host) => ({
    ...settings,
    connectionString: host.url,
    // A server that does not take a connection at once is not there.
    connectionTimeoutMillis: longestConnect,
  })

  /** Throws where a connection leads to a server that is not what was asked for. */
  async function check(client: pg.ClientBase): Promise<void> {
    if (wish === 'any') return
    const { rows } = await client.query<{ standby: boolean; read_only: string }>(
      `select pg_is_in_recovery() as standby, current_setting('transaction_read_only') as read_only`,
    )
    const [state] = rows
    if (state?.standby || (wish === 'read-write' && state?.read_only !== 'off')) {
      throw new WrongServer(`takes no writes, and target_session_attrs=${wish} wants one that does`)
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
    /** A connection to the server in use. */
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
     * The server of this connection, or the one in use, does not answer or takes no writes any more:
     * the next that does is looked for. False where there is no other.
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

/** None of several servers will do. */
export class NoHost extends Error {
  readonly failures: readonly HostFailure[]

  constructor(failures: readonly HostFailure[]) {
    super('none of the servers can be used', { cause: failures[0]?.error })
    this.failures = failures
  }
}
