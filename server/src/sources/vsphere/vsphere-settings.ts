import type { SettingProblem, SourceSettings, TlsSettings } from '../../domain/sources/source.ts'
import { httpAddressProblem } from '../shared/http-address.ts'
import { textOption } from '../shared/setting-values.ts'
import { checkTlsSettings, readTlsSettings } from '../shared/tls-settings.ts'

export interface VSphereSettings {
  /** The address of the SOAP API. */
  readonly sdk: URL
  readonly user: string
  readonly password: string
  /** Empty: the vCenter's own UUID. */
  readonly group: string
  readonly tls: TlsSettings
}

/** SOAP cannot transmit them. */
const hasControlCharacter = (text: string) => /[\p{Cc}\p{Cs}\uFFFE\uFFFF]/u.test(text)
const sdkPath = /^\/(?:sdk\/?|sdk\/vimService\/?)?$/

export function checkVSphereSettings(settings: SourceSettings): readonly SettingProblem[] {
  const { address, credentials } = settings
  const problems = [...checkTlsSettings(settings)]
  const addProblem = (problem: string) => problems.push({ path: 'address', problem })
  const problem = httpAddressProblem(address)
  if (problem !== undefined) addProblem(problem)
  else if (!sdkPath.test(new URL(address).pathname))
    addProblem('must have no path, or the path /sdk')
  for (const name of ['username', 'password']) {
    if (hasControlCharacter(credentials[name] ?? ''))
      problems.push({ path: `credentials.${name}`, problem: 'contains a control character' })
  }
  return problems
}

export function readVSphereSettings(settings: SourceSettings): VSphereSettings {
  const { credentials } = settings
  return {
    sdk: new URL('/sdk', settings.address),
    user: credentials['username'] ?? '',
    password: credentials['password'] ?? '',
    group: textOption(settings, 'group'),
    tls: readTlsSettings(settings),
  }
}
