import { hash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Duplex, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import type { SourceSettings } from '../domain/sources/source.ts'
import { startFakeEc2 } from './fake-ec2.ts'
import {
  ec2Lookups,
  incusNetworks,
  lookupBody,
  novaLookups,
  portGroups,
  type LookupAttack,
  type LookupListing,
} from './hostile-lookups.ts'
import type { Lifetime } from './spawn-muster.ts'

export interface HostileServer {
  readonly name: string
  readonly description?: string
  readonly tags?: Readonly<Record<string, string>>
}

/** How a list of servers is written, and how to go on without end. */
interface Listing {
  readonly head: string
  readonly tail: string
  readonly element: string
  readonly nest: string
  write(server: HostileServer): string
  /** The end of a page that names itself as the next one. */
  readonly repeat?: string
}

/** What a back end does where it should list its servers. */
export type Attack =
  | 'nothing'
  | 'endless headers'
  | 'bytes one by one'
  | 'gzip bomb'
  | 'repeated pages'
  | LookupAttack

export interface HostileSource {
  readonly provider: string
  readonly settings: SourceSettings
  /** In errors about the list. */
  readonly call: RegExp
  readonly hasPages: boolean
  /** Other lists that can be attacked. */
  readonly lookups: readonly string[]
  servers: readonly HostileServer[]
  attack: Attack
  /** The list that is attacked; '' is that of servers. */
  target: string
}

const bomb = gzipSync(Buffer.alloc(64 * 2 ** 20))

/** Sends a part again and again, until the other side closes the connection. */
async function flood(stream: Writable | null, part: Buffer): Promise<void> {
  if (!stream) return
  while (!stream.destroyed) {
    if (stream.write(part)) continue
    await Promise.race([once(stream, 'drain'), once(stream, 'close')]).catch(() => {})
  }
}

const many = (part: string) => Buffer.from(part.repeat(Math.ceil(65_536 / part.length)))

/** The list of servers, or what comes in its place. */
async function sendList(
  attack: Attack,
  listing: Listing,
  servers: readonly HostileServer[],
  response: ServerResponse,
): Promise<void> {
  const { head, tail, element, nest, write, repeat = '' } = listing
  response.on('error', () => {})
  const inside = servers.map(write).join(element.startsWith('<') ? '' : ',')
  if (attack === 'nothing') return void response.end(head + inside + tail)
  if (attack === 'endless headers') {
    response.socket?.write('HTTP/1.1 200 OK\r\n')
    return await flood(response.socket, many(`x-a: ${'b'.repeat(1_000)}\r\n`))
  }
  if (attack === 'gzip bomb') {
    response.setHeader('content-encoding', 'gzip')
    return void response.end(bomb)
  }
  if (attack === 'repeated pages') return void response.end(head + inside + repeat)
  response.write(head)
  // What is written to the socket itself comes after the headers.
  await nextTurn()
  if (attack === 'endless body') return await flood(response, many('x'))
  if (attack === 'deep nesting') return await flood(response, many(nest))
  if (attack === 'endless elements') return await flood(response, many(element))
  if (attack === 'bytes one by one') return await flood(response.socket, many('1\r\n \r\n'))
  response.end(element.repeat(1_000_000) + tail)
}

/** A list of what servers refer to, as the attack wants it. */
async function sendLookup(
  attack: Attack,
  listing: LookupListing,
  response: ServerResponse,
): Promise<void> {
  const body = lookupBody(attack, listing)
  if (body !== undefined) return void response.end(body)
  await sendList(attack, { ...listing, write: () => '' }, [], response)
}

/** A stream of events with a message that does not end. */
async function sendEvents({ headers }: IncomingMessage, socket: Duplex): Promise<void> {
  socket.on('error', () => {})
  const key = `${headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: ${hash('sha1', key, 'base64')}\r\n\r\n`,
  )
  // Frames of one byte, none of which is the last of its message. The first is a text, the others continue it.
  socket.write(Buffer.from([0x01, 1, 0x20]))
  await flood(socket, many('\u0000\u0001 '))
}

interface Exchange {
  readonly url: string
  readonly body: string
  readonly response: ServerResponse
  readonly source: HostileSource
  list(some?: readonly HostileServer[]): Promise<void>
  /** Attacks this list if it is the target, and says so. */
  attacks(name: string): boolean
}

async function start(
  lifetime: Lifetime,
  listing: Listing,
  describe: (url: string) => Pick<HostileSource, 'provider' | 'settings' | 'call'>,
  handle: (exchange: Exchange) => unknown,
  lookups: Readonly<Record<string, LookupListing>> = {},
): Promise<HostileSource> {
  const server = createServer((request, response) => {
    const attack = () => (source.target === '' ? source.attack : 'nothing')
    const list = (some = source.servers) => sendList(attack(), listing, some, response)
    const attacks = (name: string) => {
      const lookup = lookups[name]
      if (!lookup || source.target !== name || source.attack === 'nothing') return false
      void sendLookup(source.attack, lookup, response)
      return true
    }
    void text(request).then((body) =>
      handle({ url: request.url ?? '', body, response, source, list, attacks }),
    )
  })
  server.on('upgrade', (request, socket) => void sendEvents(request, socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  lifetime.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const source: HostileSource = {
    ...describe(url),
    hasPages: listing.repeat !== undefined,
    lookups: Object.keys(lookups),
    servers: [],
    attack: 'nothing',
    target: '',
  }
  return source
}

const send = (response: ServerResponse, status: number, body: object): void =>
  void response.writeHead(status).end(JSON.stringify(body))

export function startHostileIncus(lifetime: Lifetime): Promise<HostileSource> {
  const write = ({ name, description = '', tags = {} }: HostileServer) =>
    JSON.stringify({
      name,
      description,
      type: 'virtual-machine',
      status: 'Stopped',
      config: {},
      expanded_config: {
        'volatile.uuid': `u-${name}`,
        ...Object.fromEntries(Object.entries(tags).map(([key, value]) => [`user.${key}`, value])),
      },
    })
  const head = '{"type":"sync","metadata":['
  return start(
    lifetime,
    { head, tail: ']}', element: '{},', nest: '[', write },
    (url) => ({
      provider: 'Incus',
      settings: { address: url, credentials: {}, options: {} },
      call: /list the (?:names of )?instances|GET \/1\.0\/instances/,
    }),
    ({ url, response, list, attacks }) => {
      if (url.startsWith('/1.0/instances')) return list()
      const [, path = ''] = /^\/1\.0\/([\w-]+)/.exec(url) ?? []
      if (attacks(path)) return undefined
      const environment = { server: 'incus', server_version: '6.0', server_name: 'one' }
      const metadata = url.startsWith('/1.0/projects')
        ? [{ name: 'default', config: {} }]
        : url === '/1.0' || url === '/1.0?'
          ? { api_version: '1.0', auth: 'trusted', environment }
          : url.startsWith('/1.0/resources')
            ? {}
            : []
      send(response, 200, { type: 'sync', metadata })
    },
    { networks: incusNetworks },
  )
}

export function startHostileNova(lifetime: Lifetime): Promise<HostileSource> {
  const write = ({ name, description = '', tags = {} }: HostileServer) =>
    JSON.stringify({
      id: name,
      name,
      status: 'ACTIVE',
      tenant_id: 'p',
      description,
      addresses: {},
      metadata: tags,
    })
  let address = ''
  return start(
    lifetime,
    {
      head: '{"servers":[',
      tail: ']}',
      element: '{},',
      nest: '[',
      write,
      repeat: '],"servers_links":[{"rel":"next"}]}',
    },
    (url) => {
      address = url
      return {
        provider: 'OpenStack',
        settings: {
          address: `${url}/v3`,
          credentials: { username: 'u', password: 'secret' },
          options: { project: 'a'.repeat(32) },
        },
        call: /list servers|GET \/nova\/servers\/detail|pages of servers/,
      }
    },
    ({ url, response, source, list, attacks }) => {
      const [, path = ''] = /\/(?:os-)?([a-z-]+)(?:\/detail)?(?:\?|$)/.exec(url) ?? []
      const lookup = Object.keys(novaLookups).find((name) => path === name.replaceAll('_', '-'))
      if (lookup !== undefined) {
        if (!attacks(lookup)) send(response, 200, { [lookup]: [] })
        return undefined
      }
      if (url === '/v3/auth/tokens') {
        response.setHeader('x-subject-token', 't')
        const catalog = ['compute', 'network', 'volumev3', 'image'].map((type) => {
          const url = `${address}/${type === 'compute' ? 'nova' : type}`
          return { id: type, type, endpoints: [{ interface: 'public', region_id: 'one', url }] }
        })
        const token = { project: { id: 'p', name: 'p' }, catalog }
        return send(response, 201, { token })
      }
      if (url.startsWith('/nova/servers/detail')) {
        // The list ends with an empty page.
        const isLast = url.includes('marker=') && source.attack !== 'repeated pages'
        return list(isLast ? [] : undefined)
      }
      if (url === '/nova/') return send(response, 200, { version: { version: '2.93' } })
      if (url.startsWith('/nova/os-availability-zone'))
        return send(response, 200, { availabilityZoneInfo: [] })
      return send(response, 403, {})
    },
    novaLookups,
  )
}

const ref = (type: string, id: string) => `<obj type="${type}">${id}</obj>`
const property = (name: string, value: string) =>
  `<propSet><name>${name}</name><val>${value}</val></propSet>`

export function startHostileVCenter(lifetime: Lifetime): Promise<HostileSource> {
  const envelope = (method: string, inside: string) =>
    `<?xml version="1.0"?><e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><e:Body><${method}Response xmlns="urn:vim25">${inside}</${method}Response></e:Body></e:Envelope>`
  const [head = '', tail = ''] = envelope('RetrievePropertiesEx', '<returnval>|</returnval>').split(
    '|',
  )
  const write = ({ name, description = '', tags = {} }: HostileServer) =>
    `<objects>${ref('VirtualMachine', name)}${property('name', name)}${property('config.instanceUuid', `uuid-${name}`)}${property('config.template', 'false')}${property('config.annotation', description)}${property('runtime.connectionState', 'connected')}${property('runtime.powerState', 'poweredOff')}${property(
      'customValue',
      Object.entries(tags)
        .map(
          ([key, value]) =>
            `<CustomFieldValue><key>${key}</key><value>${value}</value></CustomFieldValue>`,
        )
        .join(''),
    )}</objects>`
  const managers = [
    'rootFolder',
    'viewManager',
    'propertyCollector',
    'sessionManager',
    'searchIndex',
  ]
    .map((name) => `<${name} type="X">${name}</${name}>`)
    .join('')
  return start(
    lifetime,
    { head, tail, element: '<a/>', nest: '<a>', write, repeat: `<token>same</token>${tail}` },
    (url) => ({
      provider: 'VMware',
      settings: {
        address: `${url}/sdk`,
        credentials: { username: 'u', password: 'secret' },
        options: {},
      },
      call: /RetrievePropertiesEx|WaitForUpdatesEx|pages of objects/,
    }),
    ({ body, response, source, list, attacks }) => {
      const method = /<e:Body><(\w+)/.exec(body)?.[1] ?? ''
      const isOfMachines = body.includes('VirtualMachine')
      const objects = [...body.matchAll(/<obj type="(\w+)">([\w-]+)<\/obj>/g)]
      const named = new Set(objects.map(([, , id]) => id))
      const reply = (inside: string) => void response.end(envelope(method, inside))
      if (method === 'RetrieveServiceContent')
        return reply(
          `<returnval><about><apiType>HostAgent</apiType></about>${managers}</returnval>`,
        )
      if (method === 'Login') {
        response.setHeader('set-cookie', 'vmware_soap_session=s; Path=/')
        return reply('<returnval><key>s</key></returnval>')
      }
      if (method === 'CreateContainerView')
        return reply(`<returnval type="V">${isOfMachines ? 'machines' : 'entities'}</returnval>`)
      if (/^(?:ContinueRetrievePropertiesEx|WaitForUpdatesEx)$/.test(method)) return list()
      if (/^Create(?:PropertyCollector|Filter)$/.test(method))
        return reply('<returnval type="X">x</returnval>')
      if (method !== 'RetrievePropertiesEx') return reply('')
      if (named.has('machines') || named.has('entities')) {
        const refs = named.has('machines')
          ? source.servers.map(({ name }) => `<R type="VirtualMachine">${name}</R>`)
          : [
              '<R type="Datacenter">dc-1</R>',
              ...Array.from(
                { length: source.target === 'objects' ? 5_000 : 0 },
                (_, at) => `<R type="HostSystem">host-${at}</R>`,
              ),
            ]
        const [id = ''] = named
        return reply(
          `<returnval><objects>${ref('ContainerView', id)}${property('view', refs.join(''))}</objects></returnval>`,
        )
      }
      const isWhole = body.includes('config.annotation')
      const asked = isWhole ? source.servers : source.servers.map(({ name }) => ({ name }))
      if (!isOfMachines && source.target === 'objects' && source.attack !== 'nothing') {
        if (!['endless pages', 'a wide item'].includes(source.attack)) return attacks('objects')
        const parts = source.attack === 'endless pages' ? 100 : 10_000
        const write = (id: string) =>
          `<objects>${ref('HostSystem', id)}${property('config.network.portgroup', portGroups(parts))}</objects>`
        const hosts = objects.filter(([, type]) => type === 'HostSystem').map(([, , id = '']) => id)
        const some = source.attack === 'a wide item' ? hosts.slice(0, 1) : hosts
        return reply(
          `<returnval>${named.has('dc-1') ? center : ''}${some.map(write).join('')}</returnval>`,
        )
      }
      if (isOfMachines) return list(asked.filter(({ name }) => named.has(name)))
      return reply(`<returnval>${center}</returnval>`)
    },
    { objects: { head, tail, element: '<a/>', nest: '<a>', item: () => '', wide: '' } },
  )
}

const center = `<objects>${ref('Datacenter', 'dc-1')}${property('name', 'dc')}</objects>`
export async function startHostileEc2(lifetime: Lifetime): Promise<HostileSource> {
  const ec2 = await startFakeEc2(lifetime)
  const [head = '', tail = ''] =
    '<DescribeInstancesResponse><reservationSet>|</reservationSet></DescribeInstancesResponse>'.split(
      '|',
    )
  const repeat = '</reservationSet><nextToken>same</nextToken></DescribeInstancesResponse>'
  const listing = { head, tail, element: '<a/>', nest: '<a>', repeat, write: () => '' }
  const source: HostileSource = {
    provider: 'Aws',
    settings: ec2.settings,
    call: /DescribeInstances|pages of instances/,
    hasPages: true,
    lookups: Object.keys(ec2Lookups),
    servers: [],
    attack: 'nothing',
    target: '',
  }
  ec2.misbehave = ({ action }, response) => {
    const lookup = ec2Lookups[action]
    if (lookup && source.target === action && source.attack !== 'nothing') {
      void sendLookup(source.attack, lookup, response)
      return true
    }
    if (action !== 'DescribeInstances') return false
    ec2.instances.clear()
    for (const { name, description = '', tags } of source.servers)
      ec2.instances.set(`i-${name}`, { name, tags: { description, ...tags } })
    if (source.attack === 'nothing' || source.target !== '') return false
    void sendList(source.attack, listing, [], response)
    return true
  }
  return source
}
