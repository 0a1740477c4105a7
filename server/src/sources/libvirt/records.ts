import { SourceError } from '../../domain/sources/source-error.ts'
import { errorCodes, longestName } from './protocol.ts'
import type { XdrReader, XdrWriter } from './xdr.ts'

/** Identifies a domain in calls. */
export interface DomainHandle {
  readonly name: string
  readonly uuid: string
  /** -1 while it is stopped. */
  readonly id: number
}

/** A network, a pool or a filter. */
export interface NamedHandle {
  readonly name: string
  readonly uuid: string
}

/** A volume of a storage pool. */
export interface VolumeHandle {
  readonly pool: string
  readonly name: string
  readonly key: string
}

export type TypedParameters = ReadonlyMap<string, number | string>

export const uuidForm = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/
const uuidBytes = 16
const maxParameters = 4_096
/** The flags of a list without a filter. */
export const everything = 0

function readUuid(reader: XdrReader): string {
  const hex = reader.fixed(uuidBytes).toString('hex')
  const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20)]
  return [...parts, hex.slice(20)].join('-')
}

export const encodeUuid = (uuid: string): Buffer => Buffer.from(uuid.replaceAll('-', ''), 'hex')

export const readNamedHandle = (reader: XdrReader): NamedHandle => ({
  name: reader.string(longestName),
  uuid: readUuid(reader),
})

export const readDomainHandle = (reader: XdrReader): DomainHandle => ({
  ...readNamedHandle(reader),
  id: reader.int(),
})

export const writeNamedHandle = (writer: XdrWriter, { name, uuid }: NamedHandle): XdrWriter =>
  writer.string(name).fixed(encodeUuid(uuid))

export const writeDomainHandle = (writer: XdrWriter, domain: DomainHandle): XdrWriter =>
  writeNamedHandle(writer, domain).int(domain.id)

export const readVolumeHandle = (reader: XdrReader): VolumeHandle => ({
  pool: reader.string(longestName),
  name: reader.string(longestName),
  key: reader.string(longestName),
})

export const writeVolumeHandle = (writer: XdrWriter, { pool, name, key }: VolumeHandle) =>
  writer.string(pool).string(name).string(key)

function readParameterValue(reader: XdrReader): number | string {
  const type = reader.int()
  if (type === 1 || type === 6) return reader.int()
  if (type === 2) return reader.uint()
  if (type === 3) return Number(reader.hyper())
  if (type === 4) return Number(BigInt.asUintN(64, reader.hyper()))
  if (type === 5) return reader.double()
  if (type === 7) return reader.string()
  throw new SourceError('invalid-response', 'libvirt sent a value of an unknown type.')
}

export const readParameters = (reader: XdrReader): TypedParameters =>
  new Map(
    reader.array(
      maxParameters,
      () => [reader.string(longestName), readParameterValue(reader)] as const,
    ),
  )

/** An error that libvirt returned. */
export class LibvirtError extends SourceError {
  readonly code: number
  /** The number of the part of libvirt that it comes from. */
  readonly origin: number

  constructor(code: number, origin: number, message: string) {
    super(errorKindOf(code), `libvirt says: ${message}`)
    this.code = code
    this.origin = origin
  }
}

function errorKindOf(code: number) {
  const { authFailed, authCancelled, authUnavailable, operationDenied, accessDenied } = errorCodes
  if (code === authFailed || code === authCancelled || code === authUnavailable) {
    return 'credentials'
  }
  return code === operationDenied || code === accessDenied ? 'forbidden' : 'failed'
}

const longestMessage = 500

/** The rest of the response repeats parts of the message. */
export function readError(reader: XdrReader): LibvirtError {
  const code = reader.int()
  const origin = reader.int()
  const message = reader.optional(() => reader.string()) ?? `error ${code}`
  return new LibvirtError(code, origin, message.slice(0, longestMessage))
}

/** Reads a list and its count, which must agree. */
export function readCounted<Item>(reader: XdrReader, most: number, read: () => Item): Item[] {
  const items = reader.array(most, read)
  const count = reader.uint()
  if (count !== items.length) {
    throw new SourceError(
      'incomplete',
      `libvirt listed ${items.length} domains but counted ${count}.`,
    )
  }
  return items
}
