import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { createServer as createTlsServer, TLSSocket } from 'node:tls'
import {
  AndFilter,
  BerReader,
  BerWriter,
  BindRequest,
  EqualityFilter,
  ExtensibleFilter,
  OrFilter,
  PresenceFilter,
  SearchRequest,
  SubstringFilter,
  type Filter,
} from 'ldapts'
import { certificateOf, privateKey, type TestCertificate } from './secure-server.ts'
import type { Lifetime } from './spawn-muster.ts'

interface FakeEntry {
  readonly dn: string
  readonly password?: string
  readonly attributes: Readonly<Record<string, readonly string[]>>
}

/** Who reads the fake directory, as `bind_dn` and `bind_password`. */
const reader = { dn: 'cn=reader,dc=example,dc=org', password: 'of the reader' }
const base = 'dc=example,dc=org'

/** A person of the fake directory with the password `secret of NAME`. */
export const fakePerson = (
  uid: string,
  attributes: Readonly<Record<string, readonly string[]>> = {},
): FakeEntry => ({
  dn: `uid=${uid},ou=people,${base}`,
  password: `secret of ${uid}`,
  attributes: {
    uid: [uid],
    entryUUID: [`uuid-of-${uid}`],
    cn: [`Name of ${uid}`],
    mail: [`${uid}@example.org`],
    ...attributes,
  },
})

/** A group of people, or of groups, by their distinguished names. */
export const fakeGroup = (cn: string, ...member: readonly string[]): FakeEntry => ({
  dn: `cn=${cn},ou=groups,${base}`,
  attributes: { cn: [cn], member },
})

/** The entries that every fake directory has. */
const fakeBase = (): FakeEntry[] => [
  { dn: base, attributes: { dc: ['example'] } },
  { ...reader, attributes: { cn: ['reader'] } },
]

interface Options {
  /** Speaks TLS from the first byte. */
  readonly isTls?: boolean
  readonly certificate?: TestCertificate
  /** Default: 127.0.0.1. */
  readonly address?: string
  /** The result code of StartTLS. */
  readonly startTls?: number
}

type Operation = 'bind' | 'search' | 'startTls'

/** What a server does instead of answering; undefined to answer. */
type Fault = (operation: Operation, socket: Socket, id: number) => unknown

const isSame = (left: string, right: string) => left.toLowerCase() === right.toLowerCase()

function matches(filter: Filter, { dn, attributes }: FakeEntry): boolean {
  const valuesOf = (name: string) =>
    Object.entries(attributes).find(([other]) => isSame(other, name))?.[1] ?? []
  if (filter instanceof AndFilter)
    return filter.filters.every((each) => matches(each, { dn, attributes }))
  if (filter instanceof OrFilter)
    return filter.filters.some((each) => matches(each, { dn, attributes }))
  // ldapts reads no attribute from a filter for presence.
  if (filter instanceof PresenceFilter) return true
  if (filter instanceof EqualityFilter) {
    return valuesOf(filter.attribute).some((value) => isSame(value, String(filter.value)))
  }
  if (filter instanceof SubstringFilter) {
    return valuesOf(filter.attribute).some((value) => value.startsWith(filter.initial))
  }
  if (filter instanceof ExtensibleFilter) return false
  throw new Error('a filter that the fake does not know')
}

function message(id: number, tag: number, write: (writer: BerWriter) => void): Buffer {
  const writer = new BerWriter()
  writer.startSequence()
  writer.writeInt(id)
  writer.startSequence(tag)
  write(writer)
  writer.endSequence()
  writer.endSequence()
  return writer.buffer
}

/** A response with a result code: 0x61 to a bind, 0x65 at the end of a search, 0x78 to StartTLS. */
export const ldapResult = (id: number, tag: number, code: number, text = ''): Buffer =>
  message(id, tag, (writer) => {
    writer.writeEnumeration(code)
    writer.writeString('')
    writer.writeString(text)
  })

const entryMessage = (id: number, { dn, attributes }: FakeEntry): Buffer =>
  message(id, 0x64, (writer) => {
    writer.writeString(dn)
    writer.startSequence()
    for (const [name, values] of Object.entries(attributes)) {
      writer.startSequence()
      writer.writeString(name)
      writer.startSequence(0x31)
      for (const value of values) writer.writeString(value)
      writer.endSequence()
      writer.endSequence()
    }
    writer.endSequence()
  })

/** The end of a page without entries, after which there are more. */
export function ldapEmptyPage(id: number): Buffer {
  const value = new BerWriter()
  value.startSequence()
  value.writeInt(0)
  value.writeString('more')
  value.endSequence()
  const writer = new BerWriter()
  writer.startSequence()
  writer.writeInt(id)
  writer.startSequence(0x65)
  writer.writeEnumeration(0)
  writer.writeString('')
  writer.writeString('')
  writer.endSequence()
  writer.startSequence(0xa0)
  writer.startSequence()
  writer.writeString('1.2.840.113556.1.4.319')
  writer.writeBuffer(value.buffer, 0x04)
  writer.endSequence()
  writer.endSequence()
  writer.endSequence()
  return writer.buffer
}

/** A reference to another server, which Muster must not follow. */
export const ldapReference = (id: number, url: string): Buffer =>
  message(id, 0x73, (writer) => writer.writeString(url))

/**
 * A fake LDAP server whose faults a test controls. Unlike a careful one, it accepts a bind without a
 * password, so that a test sees whether Muster tries.
 */
export async function startFakeLdap(
  lifetime: Lifetime,
  { isTls = false, certificate = 'issued', address = '127.0.0.1', startTls = 0 }: Options = {},
) {
  const entries: FakeEntry[] = fakeBase()
  const binds: { readonly dn: string; readonly password: string; readonly isTls: boolean }[] = []
  const state = { fault: undefined as Fault | undefined, searches: 0, connections: 0 }
  const sockets = new Set<Socket>()
  const secret = { key: privateKey, cert: certificateOf(certificate) }

  function bind(socket: Socket, id: number, reader: BerReader): void {
    const request = new BindRequest({ messageId: id })
    request.parseMessage(reader)
    const { dn, password } = request
    binds.push({ dn, password, isTls: socket instanceof TLSSocket })
    if (state.fault?.('bind', socket, id)) return
    const entry = entries.find((each) => isSame(each.dn, dn))
    const isRight = password === '' || (entry !== undefined && entry.password === password)
    socket.write(ldapResult(id, 0x61, isRight ? 0 : 49))
  }

  function search(socket: Socket, id: number, reader: BerReader): void {
    const request = new SearchRequest({ messageId: id, filter: new PresenceFilter() })
    request.parseMessage(reader)
    state.searches += 1
    if (state.fault?.('search', socket, id)) return
    const { baseDN, scope, filter } = request
    const inScope = ({ dn }: FakeEntry) =>
      scope === 'base' ? isSame(dn, baseDN) : dn.toLowerCase().endsWith(baseDN.toLowerCase())
    for (const entry of entries.filter((each) => inScope(each) && matches(filter, each))) {
      socket.write(entryMessage(id, entry))
    }
    socket.write(ldapResult(id, 0x65, 0))
  }

  function upgrade(socket: Socket, id: number): void {
    if (state.fault?.('startTls', socket, id)) return
    socket.write(ldapResult(id, 0x78, startTls))
    if (startTls === 0) {
      socket.removeAllListeners('data')
      serve(new TLSSocket(socket, { isServer: true, ...secret }))
    }
  }

  function answer(socket: Socket, bytes: Buffer): void {
    const reader = new BerReader(bytes)
    reader.readSequence()
    const id = reader.readInt() ?? 0
    const operation = reader.readSequence()
    if (operation === 0x60) bind(socket, id, reader)
    if (operation === 0x63) search(socket, id, reader)
    if (operation === 0x77) upgrade(socket, id)
  }

  function serve(socket: Socket): void {
    sockets.add(socket)
    // Requests of these tests arrive whole.
    socket.on('data', (bytes: Buffer) => answer(socket, bytes))
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  }

  const listener = (socket: Socket) => {
    state.connections += 1
    serve(socket)
  }
  const server = isTls ? createTlsServer(secret, listener) : createServer(listener)
  server.on('tlsClientError', () => {})
  server.listen(0, address)
  await once(server, 'listening')
  const close = () => {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
  lifetime.after(close)
  const { port } = server.address() as AddressInfo
  const scheme = isTls ? 'ldaps' : 'ldap'
  const host = address === '127.0.0.1' ? 'localhost' : address
  return { url: `${scheme}://${host}:${port}`, port, entries, binds, state, close }
}
export type FakeLdap = Awaited<ReturnType<typeof startFakeLdap>>
