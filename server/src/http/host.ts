import { isIPv4 } from 'node:net'
import type { FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'
import { PlatformError } from '../domain/error.ts'

const shape = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d*)?$/i
/** The maximum length of a DNS name with a port. */
const longest = 253 + ':65535'.length

/** The normalized host name in a `Host` header without the port, or undefined if it is malformed. */
export function readHostName(host: string): string | undefined {
  if (host.length > longest || !shape.test(host)) return undefined
  const name = URL.parse(`http://${host}`)?.hostname.replace(/\.$/, '')
  return name === '' ? undefined : name
}

/** Whether a name from `readHostName` always refers to the local machine. */
function isLoopbackName(name: string): boolean {
  if (name === 'localhost' || name.endsWith('.localhost')) return true
  const address = name.replace(/^\[(.*)\]$/, '$1')
  if (address === name && !isIPv4(name)) return false
  return ipaddr.process(address).range() === 'loopback'
}

export interface HostSettings {
  readonly publicUrl: string
  readonly authUrl: string
  readonly baseUrl: string
  readonly allowedHosts: readonly string[]
  /** Whether the server listens on a loopback address. */
  readonly isLoopback: boolean
}

/**
 * Checks the host name of a request. Without this check, a web page whose name resolves to 127.0.0.1
 * (DNS rebinding) could read from a Muster that listens on loopback only.
 */
export function createOwnHosts(settings: HostSettings) {
  const { publicUrl, authUrl, baseUrl, allowedHosts, isLoopback } = settings
  const hosts = [publicUrl, authUrl, baseUrl].map((url) => new URL(url).host)
  const names = new Set([...hosts, ...allowedHosts].map(readHostName))

  function isForeign(host: string): boolean {
    // Most requests use one of the URLs unchanged.
    if (hosts.includes(host)) return false
    const name = readHostName(host)
    return name === undefined || !(isLoopbackName(name) || names.has(name))
  }

  /**
   * The header with an unknown host name. `Host` is checked in addition to the forwarded host,
   * because a page can forge the latter. Browsers always send `Host`.
   */
  function findForeign({
    headers,
    host,
  }: FastifyRequest): [header: string, host: string] | undefined {
    const own = headers.host ?? ''
    if (own !== '' && isForeign(own)) return ['Host', own]
    return host !== own && isForeign(host) ? ['X-Forwarded-Host', host] : undefined
  }

  return {
    isOwn: (request: FastifyRequest): boolean => findForeign(request) === undefined,
    /** The error for an unknown host name, if only known ones are allowed. */
    findFault(request: FastifyRequest): PlatformError | undefined {
      if (!isLoopback && allowedHosts.length === 0) return undefined
      const [header, host = ''] = findForeign(request) ?? []
      if (header === undefined) return undefined
      const name = readHostName(host) ?? ''
      return new PlatformError(
        'MisdirectedRequestError',
        `The host ${name} (header ${header}) is not allowed. To allow it, start Muster with --allowed-hosts ${name} (MUSTER_ALLOWED_HOSTS) or use it in --public-url.`,
      )
    },
  }
}
export type OwnHosts = ReturnType<typeof createOwnHosts>
