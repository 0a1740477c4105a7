import type { SettingProblem, SourceSettings } from '../../domain/sources/source.ts'
import { httpAddressProblem } from '../shared/http-address.ts'
import { listOption } from '../shared/setting-values.ts'
import { isName } from './names.ts'
import { checkTlsSettings, readTlsSettings } from '../shared/tls-settings.ts'

const defaultPort = '8443'

/** Where the API of a daemon is. */
export interface DaemonAddress {
  readonly url: URL
  readonly socketPath?: string
}

/** The parsed address, or a text that describes the problem. */
export function readAddress(address: string): DaemonAddress | string {
  const [, socketPath] = /^(?:unix:\/\/)?(\/[^\0]+)$/.exec(address) ?? []
  if (socketPath !== undefined) return { url: new URL('http://localhost'), socketPath }
  if (address.startsWith('unix:')) {
    return 'must name a socket by its full path, such as unix:///var/lib/incus/unix.socket'
  }
  const problem = httpAddressProblem(address)
  if (problem !== undefined) return problem
  const url = new URL(address)
  if (url.pathname !== '/') return 'must have no path'
  // `URL` drops 443 as the default port of https.
  const isWithoutPort = url.protocol === 'https:' && url.port === '' && !/:443\/?$/.test(address)
  if (isWithoutPort) url.port = defaultPort
  return { url }
}

/** The projects that the account is limited to; empty for all. */
export const projectsOf = (settings: Pick<SourceSettings, 'options'>): readonly string[] =>
  listOption(settings, 'projects')

/** Lists all problems of the settings. */
export function checkSettings(settings: SourceSettings): readonly SettingProblem[] {
  const target = readAddress(settings.address)
  const problems = [...checkTlsSettings(settings)]
  if (typeof target === 'string') problems.unshift({ path: 'address', problem: target })
  else if (target.url.protocol === 'https:' && !readTlsSettings(settings).certificate) {
    problems.push({ path: 'credentials.client_certificate', problem: 'is needed for https' })
  }
  if (!projectsOf(settings).every(isName)) {
    problems.push({ path: 'options.projects', problem: 'must be names of projects' })
  }
  return problems
}
