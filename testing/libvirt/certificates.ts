import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Certificates {
  readonly folder: string
  readonly ca: string
  /** SHA-256 of the daemon's certificate. */
  readonly fingerprint: string
  readonly client: { readonly certificate: string; readonly key: string }
  /** Of an authority that the daemon does not know. */
  readonly stranger: { readonly certificate: string; readonly key: string }
}

const days = '2'
const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']

/** An authority, a certificate of the daemon's and one of a client's, and a stranger, made by OpenSSL. */
export function makeCertificates(folder: string): Certificates {
  const openssl = (...args: string[]) =>
    execFileSync('openssl', args, { cwd: folder, encoding: 'utf8', stdio: 'pipe' })
  const read = (name: string) => readFileSync(join(folder, name), 'utf8')
  const makeAuthority = (name: string) =>
    openssl(
      'req',
      '-x509',
      ...newKey,
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.pem`,
      '-days',
      days,
      '-subj',
      `/CN=${name}`,
      '-addext',
      'keyUsage=keyCertSign',
    )
  const issue = (name: string, by: string, extensions: string) => {
    openssl(
      'req',
      ...newKey,
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.csr`,
      '-subj',
      `/CN=${name}`,
    )
    writeFileSync(join(folder, `${name}.ext`), extensions)
    openssl(
      'x509',
      '-req',
      '-in',
      `${name}.csr`,
      '-CA',
      `${by}.pem`,
      '-CAkey',
      `${by}.key`,
      '-CAcreateserial',
      '-days',
      days,
      '-out',
      `${name}.pem`,
      '-extfile',
      `${name}.ext`,
    )
    return { certificate: read(`${name}.pem`), key: read(`${name}.key`) }
  }
  const usage = (purpose: string) => `keyUsage=digitalSignature\nextendedKeyUsage=${purpose}\n`
  makeAuthority('authority')
  makeAuthority('nobody')
  issue('daemon', 'authority', `${usage('serverAuth')}subjectAltName=DNS:localhost\n`)
  const shown = openssl('x509', '-in', 'daemon.pem', '-noout', '-fingerprint', '-sha256')
  return {
    folder,
    ca: read('authority.pem'),
    fingerprint: shown.trim().split('=')[1] ?? '',
    client: issue('client', 'authority', usage('clientAuth')),
    stranger: issue('stranger', 'nobody', usage('clientAuth')),
  }
}
