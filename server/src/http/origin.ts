import { isIPv4, isIPv6 } from 'node:net'
import type { FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'
import type { RequestOrigin } from '../domain/request-origin.ts'

/** An address in one spelling: IPv4 in IPv6's clothes is IPv4, and a zone is nobody else's business. */
function normalise(text: string): string | undefined {
  const [address = ''] = text.split('%', 1)
  if (isIPv4(address)) return address
  return isIPv6(address) ? ipaddr.process(address).toString() : undefined
}

/** Found out when somebody wants to know: most requests only read, and nobody does. */
class LazyOrigin implements RequestOrigin {
  readonly #request: FastifyRequest

  constructor(request: FastifyRequest) {
    this.#request = request
  }

  get ip(): string {
    return addressOf(this.#request)
  }

  get requestId(): string {
    return this.#request.id
  }

  get isConfidential(): boolean {
    return this.#request.protocol === 'https' || isLocal(this.#request)
  }
}

export const originOf = (request: FastifyRequest): RequestOrigin => new LazyOrigin(request)

/**
 * The address that a request came from: the peer's, or what a trusted proxy says. A proxy that
 * says nonsense is taken for the origin itself.
 */
export const addressOf = (request: FastifyRequest): string =>
  normalise(request.ip) ?? normalise(request.socket.remoteAddress ?? '') ?? ''

/**
 * Whether the caller is on this machine. A forwarded request is not, even where the proxy is and
 * nobody told Muster to trust it.
 */
export function isLocal(request: FastifyRequest): boolean {
  const { headers } = request
  if (headers['x-forwarded-for'] !== undefined || headers['forwarded'] !== undefined) return false
  const ip = addressOf(request)
  return ip !== '' && ipaddr.parse(ip).range() === 'loopback'
}
