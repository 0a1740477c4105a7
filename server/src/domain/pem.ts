import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto'

const certificateBlock = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g
const anyMarker = /-----(?:BEGIN|END) /

function attempt<Result>(work: () => Result): Result | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}

const readCertificate = (pem: string) => attempt(() => new X509Certificate(pem))
const readKey = (pem: string): KeyObject | undefined => attempt(() => createPrivateKey(pem))

/**
 * Why a text is not one or more certificates in PEM; undefined if it is. Other blocks are rejected,
 * because certificates are shown to everyone who may read the setting, and a private key must not be.
 */
export function certificatesProblem(pem: string): string | undefined {
  const found = pem.match(certificateBlock) ?? []
  if (found.length === 0 || anyMarker.test(pem.replaceAll(certificateBlock, ''))) {
    return 'must be certificates in PEM, and nothing else'
  }
  const broken = found.findIndex((block) => !readCertificate(block))
  if (broken === -1) return undefined
  const which = found.length === 1 ? 'the certificate' : `certificate ${broken + 1}`
  return `must be certificates in PEM: ${which} is damaged and cannot be read`
}

/** Why a text is not a private key in PEM; undefined if it is. */
export function privateKeyProblem(pem: string): string | undefined {
  if (!/-----BEGIN (?:\w+ )*PRIVATE KEY-----/.test(pem)) return 'must be a private key in PEM'
  if (/-----BEGIN ENCRYPTED |^Proc-Type: *4, *ENCRYPTED/m.test(pem)) {
    return 'is protected by a passphrase: give the key without one (openssl pkey -in key.pem)'
  }
  return readKey(pem) ? undefined : 'must be a private key in PEM: it is damaged and cannot be read'
}

/** Whether the key belongs to the first certificate, which is the one that TLS presents. */
export function isKeyOf(certificates: string, key: string): boolean {
  const [certificate, privateKey] = [readCertificate(certificates), readKey(key)]
  return (
    certificate !== undefined && privateKey !== undefined && certificate.checkPrivateKey(privateKey)
  )
}
