import { certificatesProblem, isKeyOf, privateKeyProblem } from '../../domain/pem.ts'
import type {
  SettingField,
  SettingProblem,
  SourceSettings,
  TlsSettings,
} from '../../domain/sources/source.ts'

/** Options of a source with TLS. */
export const tlsOptions = {
  ca: {
    name: 'ca',
    type: 'text',
    isRequired: false,
    isLong: true,
    description: "CA that signed the server's certificate, in PEM. Empty: the public CAs.",
  },
  fingerprint: {
    name: 'fingerprint',
    type: 'text',
    isRequired: false,
    description:
      "SHA-256 fingerprint of the server's certificate. If set, only the fingerprint is checked.",
  },
} as const satisfies Readonly<Record<string, SettingField>>

/** Credentials of a source that authenticates by client certificate. */
export const clientCertificate: readonly SettingField[] = [
  {
    name: 'client_certificate',
    type: 'text',
    isRequired: false,
    isLong: true,
    isSecret: false,
    description: 'Client certificate for TLS, in PEM',
  },
  {
    name: 'client_key',
    type: 'text',
    isRequired: false,
    isLong: true,
    description: 'Private key of that certificate, in PEM',
  },
]

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined)

export function readTlsSettings({
  credentials,
  options,
}: Pick<SourceSettings, 'credentials' | 'options'>): TlsSettings {
  const [ca, fingerprint] = [text(options['ca']), text(options['fingerprint'])]
  const certificate = text(credentials['client_certificate'])
  const key = text(credentials['client_key'])
  return {
    ...(ca !== undefined && { ca }),
    ...(fingerprint !== undefined && { fingerprint }),
    ...(certificate !== undefined && { certificate }),
    ...(key !== undefined && { key }),
  }
}

const fingerprintForm = /^(?:[0-9a-f]{2}:?){31}[0-9a-f]{2}$/i

/** Lists all problems of the TLS settings. */
export function checkTlsSettings(
  settings: Pick<SourceSettings, 'credentials' | 'options'>,
): readonly SettingProblem[] {
  const problems: SettingProblem[] = []
  const addProblem = (path: string, problem: string | undefined) => {
    if (problem !== undefined) problems.push({ path, problem })
  }
  const { certificate, key, ca, fingerprint } = readTlsSettings(settings)
  if (certificate !== undefined) {
    addProblem('credentials.client_certificate', certificatesProblem(certificate))
    if (key === undefined)
      addProblem('credentials.client_key', 'is needed with a client certificate')
  }
  if (key !== undefined) {
    addProblem('credentials.client_key', privateKeyProblem(key))
    if (certificate === undefined) {
      addProblem('credentials.client_certificate', 'is needed with a client key')
    } else if (problems.length === 0 && !isKeyOf(certificate, key)) {
      addProblem('credentials.client_key', 'does not belong to the client certificate')
    }
  }
  if (ca !== undefined) addProblem('options.ca', certificatesProblem(ca))
  if (fingerprint !== undefined && !fingerprintForm.test(fingerprint)) {
    addProblem('options.fingerprint', 'must be 64 hexadecimal digits')
  }
  return problems
}
