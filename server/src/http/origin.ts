import { isIPv4, isIPv6 } from 'node:net'
import type { FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'
import { findNestedCall } from './nested-calls.ts'
import type { RequestOrigin } from '../domain/request-origin.ts'

/** Normalizes an IP address: IPv4-mapped IPv6 becomes IPv4, and the zone is removed. */
function normalize(text: string): string | undefined {
  const [address = ''] = text.split('%', 1)
  if (isIPv4(address)) return address
  return isIPv6(address) ? ipaddr.process(address).toString() : undefined
}

/** Computed on demand, because most requests only read and never need it. */
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

export const originOf = (request: FastifyRequest): RequestOrigin =>
  findNestedCall(request.headers)?.origin ?? new LazyOrigin(request)

/**
 * The client address: that of the peer, or the one that a trusted proxy reports. If the proxy
 * reports an invalid address, the address of the proxy is used.
 */
export const addressOf = (request: FastifyRequest): string =>
  normalize(request.ip) ?? normalize(request.socket.remoteAddress ?? '') ?? ''

/**
 * Whether the client is on this machine. A forwarded request never counts as local, even if an
 * untrusted proxy on this machine sent it.
 */
export function isLocal(request: FastifyRequest): boolean {
  const { headers } = request
  if (headers['x-forwarded-for'] !== undefined || headers['forwarded'] !== undefined) return false
  const ip = addressOf(request)
  return ip !== '' && ipaddr.parse(ip).range() === 'loopback'
}
