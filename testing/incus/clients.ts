import type { SourceSettings } from '../../server/src/domain/sources/source.ts'
import type { TestIncus } from './start.ts'

export const localSettings = ({ address }: TestIncus): SourceSettings => ({
  address,
  credentials: {},
  options: {},
})

/** Settings with a new client certificate that the daemon does not know. */
export function unknownClient(incus: TestIncus, name: string): SourceSettings {
  const { certificate, key } = incus.makeKeyPair(name)
  return {
    address: incus.tlsAddress,
    credentials: { client_certificate: certificate, client_key: key },
    options: { fingerprint: incus.fingerprint() },
  }
}

/** Settings with a new client certificate that the daemon trusts, for these projects or for all. */
export async function trustedClient(
  incus: TestIncus,
  name: string,
  projects?: readonly string[],
): Promise<SourceSettings> {
  const settings = unknownClient(incus, name)
  await incus.trust(`${incus.folder}/${name}.crt`, projects)
  return settings
}
