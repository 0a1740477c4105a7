import type { SettingProblem, SourceSettings } from '../../domain/sources/source.ts'
import { checkTlsSettings } from '../shared/tls-settings.ts'

const defaultSocket = '/var/run/libvirt/libvirt-sock'
const defaultPort = 16_514
/** The allowed paths by driver. */
const paths: Readonly<Record<string, readonly string[]>> = {
  qemu: ['/system', '/session'],
  test: ['/default'],
}
const forms = 'qemu+unix:///system?socket=/path or qemu+tls://host/system'

/** The address of a libvirt daemon and the driver to use. */
export type LibvirtAddress =
  | { readonly uri: string; readonly transport: 'unix'; readonly path: string }
  | {
      readonly uri: string
      readonly transport: 'tls'
      readonly host: string
      readonly port: number
    }

/** The parsed address, or a text that describes the problem. */
export function readAddress(address: string): LibvirtAddress | string {
  const [, driver = '', transport = ''] = /^(\w+)\+(\w+):\/\//.exec(address) ?? []
  const known = paths[driver]
  if (known === undefined || (transport !== 'unix' && transport !== 'tls')) {
    return `must be of the form ${forms}`
  }
  let url: URL
  try {
    // `URL` parses a host only for schemes that it knows.
    url = new URL(address.replace(/^\w+\+\w+:/, 'https:').replace('https:///', 'https://none/'))
  } catch {
    return `must be of the form ${forms}`
  }
  if (url.username !== '' || url.password !== '') return 'must not name a user'
  if (url.hash !== '') return 'must not have a fragment'
  if (!known.includes(url.pathname)) return `must end in ${known.join(' or ')} for ${driver}`
  const uri = `${driver}://${url.pathname}`
  return transport === 'unix' ? readUnix(address, url, uri) : readTls(address, url, uri)
}

function readUnix(address: string, url: URL, uri: string): LibvirtAddress | string {
  if (!/^\w+\+unix:\/\/\//.test(address)) return 'must not name a host where a socket is meant'
  const { socket = defaultSocket, ...others } = Object.fromEntries(url.searchParams)
  if (Object.keys(others).length > 0) return 'may have the parameter socket only'
  if (!socket.startsWith('/') || socket.includes('\0')) return 'must name a socket by its full path'
  return { uri, transport: 'unix', path: socket }
}

function readTls(address: string, url: URL, uri: string): LibvirtAddress | string {
  if (/^\w+\+tls:\/\/\//.test(address)) return 'must name a host'
  if (url.search !== '') return 'must have no parameters'
  const host = url.hostname.replaceAll(/^\[|\]$/g, '')
  // `URL` drops 443 as the default port of https.
  const port = /^\w+\+tls:\/\/[^/]*:443\//.test(address) ? 443 : Number(url.port || defaultPort)
  return { uri, transport: 'tls', host, port }
}

const longestGroup = 128

/** Lists all problems of the settings. */
export function checkSettings(settings: SourceSettings): readonly SettingProblem[] {
  const target = readAddress(settings.address)
  const { group } = settings.options
  const isGroup = typeof group !== 'string' || (group !== '' && group.length <= longestGroup)
  return [
    ...(typeof target === 'string' ? [{ path: 'address', problem: target }] : []),
    ...checkTlsSettings(settings),
    ...(isGroup
      ? []
      : [{ path: 'options.group', problem: `must have 1 to ${longestGroup} characters` }]),
  ]
}
