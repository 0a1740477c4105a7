import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import ipaddr from 'ipaddr.js'

/** An invalid setting. The operator sees only its message. */
export class ConfigError extends Error {}

export function integer(minimum: number, maximum: number) {
  return (text: string): number => {
    const number = Number(text)
    if (!/^\d{1,10}$/.test(text) || number < minimum || number > maximum) {
      throw new ConfigError(`must be a whole number from ${minimum} to ${maximum}`)
    }
    return number
  }
}

export function oneOf<const Option extends string>(options: readonly Option[]) {
  return (text: string): Option => {
    const found = options.find((option) => option === text)
    if (found === undefined) throw new ConfigError(`must be one of ${options.join(', ')}`)
    return found
  }
}

/** `true` or `false`, also as `1` or `0`. */
export function boolean(text: string): boolean {
  if (!/^(true|false|1|0)$/.test(text)) throw new ConfigError('must be true or false')
  return text === 'true' || text === '1'
}

const units: Readonly<Record<string, number>> = { '': 1, s: 1, m: 60, h: 3_600, d: 86_400 }

/** Milliseconds. */
const durationUpTo =
  (days: number) =>
  (text: string): number => {
    const [, digits, unit] = /^(\d{1,9})([smhd]?)$/.exec(text) ?? []
    const seconds = Number(digits) * (units[unit ?? '?'] ?? Number.NaN)
    if (!(seconds >= 1 && seconds <= days * 86_400)) {
      throw new ConfigError(`must be a duration from 1s to ${days}d, such as 3600, 90m, 24h or 7d`)
    }
    return seconds * 1_000
  }

export const duration = durationUpTo(366)

/** Ten years. */
export const longDuration = durationUpTo(3_660)

/** A duration, or 0 for none. */
export const durationOrNone = (text: string): number =>
  /^0[smhd]?$/.test(text) ? 0 : duration(text)

/**
 * A URL, unchanged except that a trailing slash is removed. It is used in headers and as a prefix of
 * paths, so it must be ASCII and must not have a query.
 */
export function webAddress(text: string): string {
  if (!/^https?:\/\/[\x21-\x7e]+$/.test(text) || /[?#@]|\/\/$/.test(text) || !URL.canParse(text)) {
    throw new ConfigError(
      'must be a URL such as https://muster.example.org: http or https in lower case, without user name, password, query, fragment or two slashes at the end',
    )
  }
  return text.replace(/\/$/, '')
}

/** A URL without a path. The console, its cookies and the login of browsers are at the root of their host. */
export function webOrigin(text: string): string {
  const address = webAddress(text)
  if (!/^https?:\/\/[^/\\]+$/.test(address)) {
    throw new ConfigError(
      'must not have a path: the console works only at the root of a host. Give Muster a host name of its own, such as https://muster.example.org',
    )
  }
  return address
}

/** The URL of a webhook. It may have a query, but no user: the signature is the credential. */
export function webhookAddress(text: string): string {
  if (!/^https?:\/\/[\x21-\x7e]+$/.test(text) || /[#@]/.test(text) || !URL.canParse(text)) {
    throw new ConfigError('must be a URL such as https://siem.example.org/muster, without user')
  }
  return text
}

/** The key of a secret of Standard Webhooks, which has 24 to 64 bytes. */
export function webhookSecret(text: string): Buffer {
  const [, encoded = ''] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? []
  const key = Buffer.from(encoded, 'base64')
  if (key.length < 24 || key.length > 64) {
    throw new ConfigError('must be whsec_ and 24 to 64 random bytes in base64')
  }
  return key
}

/** A syslog server. */
export function syslogAddress(text: string): { isSecure: boolean; host: string; port: number } {
  const [, scheme, host = '', port] = /^(tls|tcp):\/\/([^/?#@\s]+):(\d{1,5})\/?$/.exec(text) ?? []
  const isPort = Number(port) >= 1 && Number(port) <= 65_535
  if (!isPort || !URL.canParse(`https://${host}`)) {
    throw new ConfigError('must be tls://host:port or tcp://host:port')
  }
  return { isSecure: scheme === 'tls', host: host.replace(/^\[(.*)\]$/, '$1'), port: Number(port) }
}

/** It may contain several hosts, which `URL` does not support: `postgres://user@a:5432,b/name`. */
export function databaseAddress(text: string): string {
  const [, hosts = ''] = /^postgres(?:ql)?:\/\/(?:[^@/?]*@)?([^/?]*)/.exec(text) ?? []
  const isAddress = /^postgres(?:ql)?:\/\/./.test(text)
  if (!isAddress || !hosts.split(',').every((host) => URL.canParse(`postgres://${host}`))) {
    throw new ConfigError('must be a URL that starts with postgres://')
  }
  return text
}

export function identifier(text: string): string {
  if (!/^[a-z0-9][a-z0-9-]{0,31}$/.test(text)) {
    throw new ConfigError('must be 1 to 32 characters of a-z, 0-9 and -')
  }
  return text
}

export const listOf =
  <Item>(parseItem: (text: string) => Item) =>
  (text: string): Item[] =>
    text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '')
      .map(parseItem)

export function network(text: string): string {
  const [address = '', bits] = text.split('/')
  const isNetwork = isIP(address) !== 0 && bits !== undefined && ipaddr.isValidCIDR(text)
  if (!isNetwork && isIP(text) === 0) {
    throw new ConfigError(
      'must be a list of addresses such as 10.0.0.1 and networks such as 10.0.0.0/8',
    )
  }
  if (bits === '0') throw new ConfigError('must not contain the whole internet')
  return text
}

const hostName = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i

/** An address, a network or a host name. */
export function networkOrHost(text: string): string {
  // A text that ends in a number is an address, possibly an invalid one.
  if (hostName.test(text) && !/(^|\.)\d+$/.test(text)) return text
  try {
    return network(text)
  } catch {
    throw new ConfigError(
      'must be a list of hosts such as cas.example.org, addresses such as 10.0.0.1 and networks such as 10.0.0.0/8',
    )
  }
}

/** The host of a URL without a port. IPv6 addresses may have brackets. */
export function hostNameOrAddress(text: string): string {
  const address = text.replace(/^\[(.*)\]$/, '$1')
  if (!hostName.test(text) && isIP(address) === 0) {
    throw new ConfigError(
      'must be a list of host names such as muster.example.org and addresses, without ports',
    )
  }
  return isIP(address) === 6 ? `[${address}]` : text
}

export function nonEmpty(text: string): string {
  if (text === '') throw new ConfigError('must not be empty')
  return text
}

export const textFile = (text: string): string => {
  try {
    return readFileSync(text, 'utf8')
  } catch {
    throw new ConfigError('must be the path of a readable file')
  }
}

/** The path of a file with a token. The file is read again later, so its content is only checked here. */
export const tokenFile = (text: string): string => {
  if (!/^[\x21-\x7e]{16,}$/.test(textFile(text).trim())) {
    throw new ConfigError(
      'must be the path of a file with a token of 16 or more printable characters',
    )
  }
  return resolve(text)
}

export function ratio(text: string): number {
  if (!/^(0(\.\d{1,6})?|1(\.0{1,6})?)$/.test(text)) {
    throw new ConfigError('must be a number from 0 to 1, such as 0.1')
  }
  return Number(text)
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** HTTP headers as `name=value,name=value`, in lower case. Errors do not repeat them. */
export function headerList(text: string): Readonly<Record<string, string>> {
  const pairs = listOf((item) => {
    const [, name = '', value = ''] = /^([\w!#$%&'*+.^`|~-]+)\s*=\s*(.*)$/.exec(item) ?? []
    const decoded = percentDecoded(value)
    if (name === '' || !/^[\x20-\x7e]+$/.test(decoded)) {
      throw new ConfigError('must be a list of headers such as Authorization=Bearer abc')
    }
    return [name.toLowerCase(), decoded] as const
  })(text)
  return Object.fromEntries(pairs)
}

/** One of how many successful requests is logged: `all` is 1, `off` is 0. */
export function accessLogInterval(text: string): number {
  if (text === 'off') return 0
  if (text === 'all') return 1
  if (!/^[1-9]\d{0,5}$/.test(text)) {
    throw new ConfigError('must be all, off, or a number such as 100')
  }
  return Number(text)
}

/** A list that must not be empty. */
export const someOf =
  <Item>(parseItem: (text: string) => Item) =>
  (text: string): Item[] => {
    const items = listOf(parseItem)(text)
    if (items.length === 0) throw new ConfigError('must not be empty')
    return items
  }
