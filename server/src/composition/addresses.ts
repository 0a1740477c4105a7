import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { Config } from '../config/read-config.ts'

/**
 * Takes the port before anything is made that only its owner could show, and decides which one
 * "any" is, for the catalog names it. It is let go of in the moment before it is used.
 */
export async function claimPort(host: string, wanted: number) {
  // Who comes too early is turned away at once: waiting for them would keep the port from us.
  const claim = createServer((early) => early.destroy()).listen(wanted, host)
  await once(claim, 'listening')
  const { port, address } = claim.address() as AddressInfo
  return {
    port,
    isLoopback: ipaddr.process(address).range() === 'loopback',
    async release(): Promise<void> {
      claim.close()
      await once(claim, 'close')
    },
  }
}

/** The addresses that clients are told. */
export function publicAddresses(config: Config, port: number) {
  const scheme = config.tlsCert === undefined ? 'http' : 'https'
  const publicUrl = config.publicUrl ?? `${scheme}://${reachableHost(config.host)}:${port}`
  return {
    publicUrl,
    authUrl: config.authUrl ?? publicUrl,
    baseUrl: config.baseUrl ?? publicUrl,
  }
}

/** What a client on this machine can dial, for a server that listens everywhere. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}
