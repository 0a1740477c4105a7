import { isIPv4 } from 'node:net'
import type { FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'
import { PlatformError } from '../domain/error.ts'

const shape = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d*)?$/i
/** The longest name that DNS has, and a port. */
const longest = 253 + ':65535'.length

/** The name in a `Host` header, without the port and in one spelling; undefined where it is malformed. */
export function readHostName(host: string): string | undefined {
  if (host.length > longest || !shape.test(host)) return undefined
  const name = URL.parse(`http://${host}`)?.hostname.replace(/\.$/, '')
  return name === '' ? undefined : name
}

/** Whether a name, as `readHostName` spells it, always means the machine that uses it. */
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
  /** Whether the address that is listened on is of the loopback network. */
  readonly isLoopback: boolean
}

/**
 * Which names of this server a request may use. Without this check, a web page whose name its owner
 * points to 127.0.0.1 (DNS rebinding) could read a Muster that listens for its own machine alone.
 */
export function createOwnHosts(settings: HostSettings) {
  const { publicUrl, authUrl, baseUrl, allowedHosts, isLoopback } = settings
  const names = new Set([
    ...[publicUrl, authUrl, baseUrl].map((url) => readHostName(new URL(url).host)),
    ...allowedHosts.map(readHostName),
  ])

  function isForeign(host: string): boolean {
    const name = readHostName(host)
    return name === undefined || !(isLoopbackName(name) || names.has(name))
  }

  /**
   * The header that names another host. `Host` counts beside what a trusted proxy forwards, since a
   * page can make up the latter. Browsers always send `Host`: without one there is no page.
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
    /** The refusal of a request to another host, where only known ones are answered. */
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
