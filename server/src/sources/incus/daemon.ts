import { SourceError } from '../../domain/sources/source-error.ts'
import { objectOf, textOf } from '../shared/json.ts'
import type { Api } from './api.ts'

/** The daemon that responds. */
export interface Daemon {
  readonly product: 'Incus' | 'LXD'
  readonly version: string
  readonly serverName: string
  readonly isClustered: boolean
  /** Whether lists can be filtered. */
  readonly canFilter: boolean
  /** Of its certificate, which all members of a cluster share. */
  readonly fingerprint: string
}

/** Reads what the daemon is, and requires that it trusts the client. */
export async function readDaemon(api: Api): Promise<Daemon> {
  const server = await api.get('', {}, 'read the API version')
  if (textOf(server, 'api_version') !== '1.0') {
    throw new SourceError('invalid-response', `${api.host} does not have version 1.0 of the API.`)
  }
  if (textOf(server, 'auth') !== 'trusted') {
    throw new SourceError(
      'credentials',
      `${api.host} does not trust the client certificate. Add it there with "incus config trust add-certificate muster.crt", or with "lxc config trust add muster.crt" for LXD.`,
    )
  }
  const environment = objectOf(server, 'environment')
  const { api_extensions: extensions } = server
  return {
    product: textOf(environment, 'server') === 'incus' ? 'Incus' : 'LXD',
    version: textOf(environment, 'server_version'),
    serverName: textOf(environment, 'server_name'),
    isClustered: environment['server_clustered'] === true,
    canFilter: Array.isArray(extensions) && extensions.includes('api_filtering'),
    fingerprint: textOf(environment, 'certificate_fingerprint'),
  }
}

/** Without a cluster, instances have the location `none`. */
export const memberNameOf = (daemon: Daemon, location: string): string =>
  daemon.isClustered ? location : daemon.serverName
