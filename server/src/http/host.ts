import { isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'

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
export function isLoopbackName(name: string): boolean {
  if (name === 'localhost' || name.endsWith('.localhost')) return true
  const address = name.replace(/^\[(.*)\]$/, '$1')
  if (address === name && !isIPv4(name)) return false
  return ipaddr.process(address).range() === 'loopback'
}
