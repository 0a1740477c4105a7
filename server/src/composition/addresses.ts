import type { Config } from '../config/read-config.ts'

/** The public addresses of this installation. */
export function publicAddresses(config: Config, port: number) {
  const scheme = config.tlsCert === undefined ? 'http' : 'https'
  const listenUrl = `${scheme}://${reachableHost(config.host)}:${port}`
  const publicUrl = config.publicUrl ?? listenUrl
  return {
    listenUrl,
    publicUrl,
    authUrl: config.authUrl ?? publicUrl,
    baseUrl: config.baseUrl ?? publicUrl,
  }
}

/** Replaces a wildcard address by a host that local clients can connect to. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}
