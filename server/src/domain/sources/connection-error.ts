import { SourceError, type SourceErrorKind } from './source-error.ts'

/** Codes of Node.js or OpenSSL, the kind of error, and the text for an operator. */
type Fault = readonly [codes: RegExp, kind: SourceErrorKind, sentence: string]

const wrongPort = 'check the port, and whether the address should begin with another scheme'

/** The first match applies. Texts of Node.js and OpenSSL are never shown. */
const faults: readonly Fault[] = [
  [/^ECONNREFUSED$/, 'unreachable', 'refuses the connection: nothing listens on that port'],
  [/^TLS_CLOSED$/, 'tls', `closed the connection before TLS was established: ${wrongPort}`],
  [/^(?:ECONNRESET|EPIPE|ECONNABORTED|UND_ERR_SOCKET)$/, 'unreachable', 'closed the connection'],
  [/^(?:ETIMEDOUT|EHOSTDOWN)$/, 'unreachable', 'cannot be reached: it does not answer'],
  [/^E(?:HOST|NET)UNREACH$|^ENETDOWN$/, 'unreachable', 'cannot be reached: no route to host'],
  [
    /^ENOTFOUND$|^ENODATA$|^EAI_(?:NONAME|NODATA)$/,
    'unreachable',
    'cannot be found: DNS does not know the name',
  ],
  [
    /^EAI_AGAIN$|^EAI_FAIL$|^ESERVFAIL$/,
    'unreachable',
    'cannot be found: the DNS server does not answer',
  ],
  [/^E[MN]FILE$/, 'unreachable', 'cannot be reached: Muster has too many open files'],
  [
    /^E(?:ACCES|PERM)$/,
    'unreachable',
    'cannot be reached: the operating system does not allow the connection',
  ],
  [
    /^ERR_INVALID_CHAR$/,
    'credentials',
    'was not contacted: the credentials contain a character that cannot be sent',
  ],
  [/^HPE_/, 'invalid-response', `does not answer in HTTP: ${wrongPort}`],

  [
    /SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|UNKNOWN_PROTOCOL|HTTP_REQUEST|BAD_RECORD_TYPE)$/,
    'tls',
    `does not use TLS on this port: ${wrongPort}`,
  ],
  [/^CERT_HAS_EXPIRED$/, 'tls', 'is not trusted: its certificate has expired'],
  [/^CERT_NOT_YET_VALID$/, 'tls', 'is not trusted: its certificate is not valid yet'],
  [/^CERT_REVOKED$/, 'tls', 'is not trusted: its certificate is revoked'],
  [
    /^DEPTH_ZERO_SELF_SIGNED_CERT$/,
    'tls',
    'is not trusted: its certificate is self-signed; if it is the right one, set it as ca, or set its fingerprint',
  ],
  [
    /^SELF_SIGNED_CERT_IN_CHAIN$|^UNABLE_TO_(?:GET_ISSUER|VERIFY_LEAF)|^CERT_UNTRUSTED$/,
    'tls',
    'is not trusted: its certificate is signed by an unknown authority; set that authority as ca, or set the fingerprint of the certificate',
  ],
  [
    /ALTNAME_INVALID$|^HOSTNAME_MISMATCH$/,
    'tls',
    'is not trusted: its certificate is for another name',
  ],
  [
    /ALERT_(?:CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE)$/,
    'tls',
    'refuses the TLS handshake: it may require a client certificate',
  ],
  [
    /ALERT_(?:UNKNOWN_CA|BAD_CERTIFICATE|(?:NO_)?CERTIFICATE(?:_\w+)?|UNSUPPORTED_CERTIFICATE|ACCESS_DENIED)$/,
    'tls',
    'does not accept the client certificate',
  ],
  [
    /PROTOCOL_VERSION$|SSL_UNSUPPORTED_PROTOCOL$|SSL_NO_PROTOCOLS/,
    'tls',
    'supports no secure TLS version',
  ],
  [/TOO_(?:SMALL|WEAK|SHORT)$|WEAK/, 'tls', 'uses a key or a signature that is too weak'],
  [
    /KEY_VALUES_MISMATCH$/,
    'tls',
    'cannot be contacted: the client key does not belong to the client certificate',
  ],
  [
    /^ERR_OSSL_|^ERR_CRYPTO_/,
    'tls',
    'cannot be contacted: a certificate or key in the settings cannot be read',
  ],
  [/CERT|^INVALID_|^PATH_LENGTH/, 'tls', 'is not trusted: its certificate is not valid'],
  [/SSL|TLS/, 'tls', 'fails in the TLS handshake'],
]

/** Extracts a code, also where Node.js has it only in the message. */
function codeOf(error: unknown): string {
  const { code = '', message = '' } = (error ?? {}) as { code?: unknown; message?: string }
  if (message.startsWith('Client network socket disconnected before')) return 'TLS_CLOSED'
  const reason = /:SSL routines:[^:]*:([^:]+):/.exec(message)?.[1]
  if (code === 'EPROTO' && reason !== undefined) {
    return `ERR_SSL_${reason.toUpperCase().replaceAll(/\W+/g, '_')}`
  }
  return String(code)
}

/** Explains a failed connection to a target, such as `kvm-1:16514`. */
export function connectionError(error: unknown, target: string): SourceError {
  if (error instanceof SourceError) return error
  // `fetch` wraps the error of its connection.
  if (error instanceof TypeError && error.cause !== undefined) {
    return connectionError(error.cause, target)
  }
  const code = codeOf(error)
  const [, kind, sentence] = faults.find(([codes]) => codes.test(code)) ?? [
    undefined,
    'unreachable',
    `cannot be reached${/^[A-Z_]+$/.test(code) ? ` (${code})` : ''}`,
  ]
  return new SourceError(kind, `${target} ${sentence}.`, { cause: error })
}
