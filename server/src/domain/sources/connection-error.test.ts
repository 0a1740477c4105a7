import assert from 'node:assert/strict'
import { describe, mock, test } from 'node:test'
import { connectionError } from './connection-error.ts'
import { abortedError, deadline } from './deadline.ts'
import type { SourceErrorKind } from './source-error.ts'
import { testConnection } from './test-connection.ts'

const raw = 'error:0A00010B:SSL routines:fn:bad thing:../deps/openssl/ssl/record.c:78:'
const wrongVersion =
  'write EPROTO 40C3:error:0A00010B:SSL routines:f:wrong version number:../deps/a.c:78:'

const table: readonly (readonly [code: string, kind: SourceErrorKind, text: RegExp])[] = [
  ['ECONNREFUSED', 'unreachable', /refuses the connection/],
  ['ECONNRESET', 'unreachable', /closed the connection/],
  ['EPIPE', 'unreachable', /closed the connection/],
  ['ETIMEDOUT', 'unreachable', /does not answer/],
  ['EHOSTUNREACH', 'unreachable', /no route/],
  ['ENETUNREACH', 'unreachable', /no route/],
  ['ENOTFOUND', 'unreachable', /DNS does not know the name/],
  ['EAI_AGAIN', 'unreachable', /DNS server does not answer/],
  ['EMFILE', 'unreachable', /too many open files/],
  ['EACCES', 'unreachable', /does not allow/],
  ['ESOMETHING', 'unreachable', /cannot be reached \(ESOMETHING\)/],
  ['', 'unreachable', /cannot be reached\.$/],
  ['HPE_INVALID_CONSTANT', 'invalid-response', /does not answer in HTTP/],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls', /does not use TLS on this port/],
  ['ERR_SSL_PACKET_LENGTH_TOO_LONG', 'tls', /does not use TLS on this port/],
  ['CERT_HAS_EXPIRED', 'tls', /has expired/],
  ['CERT_NOT_YET_VALID', 'tls', /not valid yet/],
  ['CERT_REVOKED', 'tls', /revoked/],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls', /self-signed/],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'tls', /unknown authority/],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls', /unknown authority/],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'tls', /unknown authority/],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls', /for another name/],
  ['INVALID_PURPOSE', 'tls', /certificate is not valid/],
  ['CERT_SIGNATURE_FAILURE', 'tls', /certificate is not valid/],
  ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'tls', /may require a client certificate/],
  ['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', 'tls', /may require a client certificate/],
  ['ERR_SSL_TLSV1_ALERT_UNKNOWN_CA', 'tls', /does not accept the client certificate/],
  ['ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE', 'tls', /does not accept the client certificate/],
  ['ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED', 'tls', /does not accept the client certificate/],
  ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', 'tls', /no secure TLS version/],
  ['ERR_SSL_UNSUPPORTED_PROTOCOL', 'tls', /no secure TLS version/],
  ['ERR_SSL_EE_KEY_TOO_SMALL', 'tls', /too weak/],
  ['ERR_SSL_CA_MD_TOO_WEAK', 'tls', /too weak/],
  ['ERR_OSSL_X509_KEY_VALUES_MISMATCH', 'tls', /client key does not belong/],
  ['ERR_OSSL_PEM_NO_START_LINE', 'tls', /in the settings cannot be read/],
  ['ERR_SSL_SOMETHING_NEW', 'tls', /fails in the TLS handshake/],
]

describe('a connection error', () => {
  for (const [code, kind, text] of table) {
    test(`${code === '' ? 'without a code' : code} is ${kind}`, () => {
      const error = connectionError(Object.assign(new Error(raw), { code }), 'kvm-1:16514')
      assert.equal(error.kind, kind)
      assert.match(error.message, /^kvm-1:16514 .*\.$/)
      assert.match(error.message, text)
      assert.doesNotMatch(error.message, /error:|routines|openssl|\.c\b/i)
    })
  }

  test('is recognised by its message if the code is too general', () => {
    const protocol = Object.assign(new Error(wrongVersion), { code: 'EPROTO' })
    assert.match(connectionError(protocol, 'h').message, /does not use TLS on this port/)
    const message =
      'Client network socket disconnected before secure TLS connection was established'
    const closed = connectionError(Object.assign(new Error(message), { code: 'ECONNRESET' }), 'h')
    assert.equal(closed.kind, 'tls')
    assert.match(closed.message, /before TLS was established/)
    const ended = Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' })
    const fetched = connectionError(new TypeError('fetch failed', { cause: ended }), 'h')
    assert.deepEqual([fetched.kind, fetched.message], ['unreachable', 'h closed the connection.'])
  })
})

describe('an aborted request', () => {
  test('reports the time limit, or that it was cancelled', () => {
    mock.timers.enable({ apis: ['setTimeout'] })
    const signal = deadline(15_000)
    const either = AbortSignal.any([new AbortController().signal, signal])
    mock.timers.tick(15_000)
    mock.timers.reset()
    assert.equal(abortedError(either, 'kvm-1').message, 'kvm-1: no response within 15 s.')
    assert.equal(abortedError(either, 'kvm-1').kind, 'timeout')
    const cancelled = AbortSignal.abort()
    assert.equal(abortedError(cancelled, 'kvm-1').message, 'kvm-1: the request was cancelled.')
  })

  test('is reported by the test of an account whose host does not answer', async () => {
    mock.timers.enable({ apis: ['setTimeout'] })
    const opened = (signal: AbortSignal) =>
      new Promise<never>((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(abortedError(signal, 'kvm-1:16514')))
      })
    const tested = testConnection(opened, opened, Date.now)
    mock.timers.tick(15_000)
    mock.timers.reset()
    assert.equal((await tested).error, 'kvm-1:16514: no response within 15 s.')
  })
})
