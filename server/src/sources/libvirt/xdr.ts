import { SourceError } from '../../domain/sources/source-error.ts'

/** XDR aligns everything to four bytes. */
const padding = (length: number) => (4 - (length % 4)) % 4
const decoder = new TextDecoder()
/** The limit of a frame. libvirt's default limit of a text is 4 MiB. */
const longestOpaque = 33_554_432

export interface XdrWriter {
  uint(value: number): XdrWriter
  int(value: number): XdrWriter
  hyper(value: bigint): XdrWriter
  /** Bytes of fixed length. */
  fixed(bytes: Uint8Array): XdrWriter
  string(text: string): XdrWriter
  optional<Value>(value: Value | undefined, write: (value: Value) => unknown): XdrWriter
  array<Value>(values: readonly Value[], write: (value: Value) => unknown): XdrWriter
  finish(): Buffer
}

/** Encodes the parts of XDR (RFC 4506) that libvirt uses. */
export function createXdrWriter(): XdrWriter {
  const parts: Buffer[] = []
  const pushNumber = (fill: (buffer: Buffer) => unknown, length = 4) => {
    const buffer = Buffer.alloc(length)
    fill(buffer)
    parts.push(buffer)
    return writer
  }
  const writer: XdrWriter = {
    uint: (value) => pushNumber((buffer) => buffer.writeUInt32BE(value)),
    int: (value) => pushNumber((buffer) => buffer.writeInt32BE(value)),
    hyper: (value) => pushNumber((buffer) => buffer.writeBigInt64BE(BigInt.asIntN(64, value)), 8),
    fixed(bytes) {
      parts.push(Buffer.from(bytes), Buffer.alloc(padding(bytes.length)))
      return writer
    },
    string(text) {
      const bytes = Buffer.from(text)
      return writer.uint(bytes.length).fixed(bytes)
    },
    optional(value, write) {
      writer.uint(value === undefined ? 0 : 1)
      if (value !== undefined) write(value)
      return writer
    },
    array(values, write) {
      writer.uint(values.length)
      for (const value of values) write(value)
      return writer
    },
    finish: () => Buffer.concat(parts),
  }
  return writer
}

export interface XdrReader {
  uint(): number
  int(): number
  hyper(): bigint
  double(): number
  fixed(length: number): Buffer
  /** The argument limits the length in bytes. */
  string(most?: number): string
  optional<Value>(read: () => Value): Value | undefined
  array<Value>(most: number, read: () => Value): Value[]
  /** Throws if bytes are left. */
  end(): void
}

const invalidResponse = (what: string) =>
  new SourceError('invalid-response', `libvirt sent a message that ${what}.`)

/** Decodes XDR and checks every length. */
export function createXdrReader(bytes: Buffer): XdrReader {
  let offset = 0
  const take = (length: number): number => {
    if (length > bytes.length - offset) throw invalidResponse('ends too early')
    const at = offset
    offset += length
    return at
  }
  const reader: XdrReader = {
    uint: () => bytes.readUInt32BE(take(4)),
    int: () => bytes.readInt32BE(take(4)),
    hyper: () => bytes.readBigInt64BE(take(8)),
    double: () => bytes.readDoubleBE(take(8)),
    fixed(length) {
      const at = take(length + padding(length))
      return bytes.subarray(at, at + length)
    },
    string(most = longestOpaque) {
      const length = reader.uint()
      if (length > most) throw invalidResponse('contains a text that is too long')
      const text = decoder.decode(reader.fixed(length))
      if (text.includes('\0')) throw invalidResponse('contains a text with a NUL character')
      return text
    },
    optional(read) {
      const flag = reader.uint()
      if (flag > 1) throw invalidResponse('contains an invalid flag')
      return flag === 1 ? read() : undefined
    },
    array(most, read) {
      const count = reader.uint()
      // An element takes at least four bytes, so an impossible count is rejected before reading.
      if (count > most || count * 4 > bytes.length - offset) {
        throw invalidResponse('has an impossible item count')
      }
      return Array.from({ length: count }, read)
    },
    end() {
      if (offset !== bytes.length) throw invalidResponse('is longer than expected')
    },
  }
  return reader
}
