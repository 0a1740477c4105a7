import pg from 'pg'
import { PlatformError } from '../../domain/error.ts'
import { DatabaseUrlError, NoHost, OldServer, readDatabaseUrl, WrongServer } from './hosts.ts'

/** The oldest PostgreSQL that Muster runs on, as its `server_version_num`. */
const oldestVersion = 150_000

/** Throws if the server is too old. */
export async function requireVersion(run: (sql: string) => Promise<readonly object[]>) {
  const [row] = await run(`select current_setting('server_version_num')::int as version`)
  const { version = 0 } = (row ?? {}) as { version?: number }
  if (version < oldestVersion) {
    const major = Math.floor(version / 10_000)
    throw new OldServer(`is PostgreSQL ${major}: Muster needs ${oldestVersion / 10_000} or newer`)
  }
}

interface Target {
  readonly host: string
  readonly user: string
  readonly database: string
}

const unknownAuthority =
  'is signed by an unknown authority: name its certificate in sslrootcert=FILE'

const certificateProblems: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'is for another host name',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'is self-signed: name it in sslrootcert=FILE',
  SELF_SIGNED_CERT_IN_CHAIN: unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknownAuthority,
}

/** Explains an error code of PostgreSQL. */
function explainCode(code: string, message: string, { host, user, database }: Target) {
  switch (code) {
    case '28P01':
      return `${host} does not accept the password of user "${user}", or has no such user`
    case '28000':
      return /does not exist/.test(message)
        ? `${host} has no role "${user}": create it, or name another user`
        : `${host} rejects user "${user}": ${message}`
    case '3D000':
      return `${host} has no database "${database}": create it, or name another one`
    case '42501':
      return `user "${user}" lacks a privilege that Muster needs in database "${database}": ${message}`
    case '25006':
      return `${host} accepts no writes: ${message}`
    case '53100':
      return `${host} cannot write: ${message}`
    case '53300':
      return `${host} has no connection free for user "${user}": ${message}`
    case '57P01':
    case '57P02':
    case '57P03':
      return `${host} is starting up or shutting down: ${message}`
    case '08P01':
    case '0A000':
      return `${host} does not accept this connection: ${message}`
    default:
      return undefined
  }
}

/** Nothing listens, also at the socket file of a PostgreSQL on this machine. */
function isSilent(error: unknown): boolean {
  const { code = '', syscall } = error as NodeJS.ErrnoException
  return code === 'ECONNREFUSED' || (code === 'ENOENT' && syscall === 'connect')
}

const temporaryCodes =
  /^(ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|ECONNRESET|EPIPE|57P0[123]|25006|53100|53300)$/
/** PgBouncer has this code for all its errors. */
const protocolViolation = '08P01'

/** Whether a later attempt may succeed without a change of the settings. */
function isTemporary(error: unknown): boolean {
  const { code = '', message, errors } = error as Error & { code?: string; errors?: unknown[] }
  if (error instanceof NoHost) return error.failures.some((failure) => isTemporary(failure.error))
  if (error instanceof OldServer) return false
  // A standby becomes the primary.
  if (error instanceof WrongServer) return true
  if (errors?.[0] !== undefined) return isTemporary(errors[0])
  if (error instanceof pg.DatabaseError && code === protocolViolation) {
    return !/no such|password|authentication/i.test(message)
  }
  return isSilent(error) || temporaryCodes.test(code) || /timeout|terminated/.test(message)
}

/** Explains an error of the network, of TLS or of node-postgres. */
function explainConnection(error: unknown, { host, user }: Target) {
  const { code = '', message } = error as Error & { code?: string }
  const certificate = certificateProblems[code]
  if (certificate !== undefined) return `the certificate of ${host} ${certificate}`
  if (isSilent(error)) return `nothing listens at ${host}`
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return `DNS does not know the host name of ${host}`
  if (code === 'EHOSTUNREACH' || code === 'ENETUNREACH') return `no route to ${host}`
  if (code === 'ENOENT' || code === 'EACCES')
    return `a file that it names cannot be read: ${message}`
  if (code === 'ETIMEDOUT' || /timeout/.test(message)) {
    return `${host} does not answer as PostgreSQL within 2 s`
  }
  if (/does not support SSL/.test(message))
    return `${host} does not support TLS: use sslmode=disable`
  if (/SASL|password must be a string/.test(message)) {
    return `${host} asks for the password of user "${user}", and there is none, or it cannot be used: ${message}`
  }
  if (/^(ERR_SSL|ERR_TLS|ERR_OSSL|EPROTO)/.test(code)) return `TLS with ${host} failed: ${message}`
  const isCutOff = code === 'ECONNRESET' || /terminated|SSL connection|unexpected/i.test(message)
  return isCutOff ? `${host} is not a PostgreSQL server, or closed the connection` : undefined
}

function explainOne(error: unknown, target: Target): string | undefined {
  const { code = '', message, errors } = error as Error & { code?: string; errors?: unknown[] }
  if (error instanceof WrongServer) return `${target.host} ${message}`
  if (error instanceof pg.DatabaseError) return explainCode(code, message, target)
  // Several addresses of one host name were tried.
  if (errors?.[0] !== undefined) return explainOne(errors[0], target)
  return explainConnection(error, target)
}

interface OpeningFailure {
  /** In one line for an operator, without the password. */
  readonly reason: string
  readonly isTemporary: boolean
}

/** Why the database could not be opened; undefined if the error is not about the connection. */
export function explainFailure(error: unknown, url: string): OpeningFailure | undefined {
  const cause = error instanceof PlatformError ? error.cause : error
  const reason = findReason(cause, url)
  return reason === undefined ? undefined : { reason, isTemporary: isTemporary(cause) }
}

function findReason(cause: unknown, url: string): string | undefined {
  if (cause instanceof DatabaseUrlError) return cause.message
  const describe = (host: string): Target => {
    const { hosts } = readDatabaseUrl(url)
    const single = hosts.find(({ name }) => name === host) ?? hosts[0]
    const client = new pg.Client({ connectionString: (single?.url ?? url).split('?')[0] })
    const { user = '', database = '' } = client
    return { host: `${client.host}:${client.port}`, user, database }
  }
  if (cause instanceof NoHost) {
    return cause.failures
      .map(({ host, error: why }) => explainOne(why, describe(host)) ?? String(why))
      .join('; ')
  }
  return explainOne(cause, describe(''))
}
