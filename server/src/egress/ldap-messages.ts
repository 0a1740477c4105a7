import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'

/** Of one message, and of all messages of a connection, in bytes. */
const largestMessage = 2 ** 20
const largestConversation = 2 ** 24

const sequence = 0x30
const entry = 0x64
const searchDone = 0x65
/** Responses that begin with a result code: to a bind, the end of a search, and to an extended request. */
const withResultCode: ReadonlySet<number> = new Set([0x61, searchDone, 0x78])
const pagedResults = '1.2.840.113556.1.4.319'

interface Element {
  readonly tag: number
  readonly start: number
  readonly end: number
}

const invalid = () => new Error('the server does not speak LDAP')

/** The element of BER at an offset; undefined while its header is incomplete. */
function readElement(bytes: Buffer, at: number): Element | undefined {
  const [tag, first] = [bytes[at], bytes[at + 1]]
  if (tag === undefined || first === undefined) return undefined
  if (first < 0x80) return { tag, start: at + 2, end: at + 2 + first }
  const size = first & 0x7f
  if (size === 0 || size > 4) throw invalid()
  const start = at + 2 + size
  if (bytes.length < start) return undefined
  return { tag, start, end: start + bytes.readUIntBE(at + 2, size) }
}

/** An element that must be complete. */
function requireElement(bytes: Buffer, at: number): Element {
  const element = readElement(bytes, at)
  if (!element || element.end > bytes.length) throw invalid()
  return element
}

/** Where the first message ends; undefined while it is incomplete. */
function endOfMessage(bytes: Buffer): number | undefined {
  if (bytes.length > 0 && bytes[0] !== sequence) throw invalid()
  const message = readElement(bytes, 0)
  if (!message) return undefined
  if (message.end > largestMessage) {
    throw new Error(`the server sent a message of more than ${largestMessage} bytes`)
  }
  return message.end <= bytes.length ? message.end : undefined
}

/** The operation in a message. ldapts takes a response without a result code for a success. */
function readOperation(message: Buffer): Element & { readonly resultCode: number | undefined } {
  const id = requireElement(message, requireElement(message, 0).start)
  const operation = requireElement(message, id.end)
  if (!withResultCode.has(operation.tag)) return { ...operation, resultCode: undefined }
  const code = requireElement(message, operation.start)
  if (code.tag !== 0x0a || code.end !== code.start + 1 || code.end > operation.end) throw invalid()
  return { ...operation, resultCode: message[code.start] }
}

/** Whether the end of a search says that there are more pages. */
function hasMorePages(message: Buffer, from: number): boolean {
  const at = message.indexOf(pagedResults, from)
  if (at === -1) return false
  const afterName = requireElement(message, at + pagedResults.length)
  const value = afterName.tag === 0x01 ? requireElement(message, afterName.end) : afterName
  const size = requireElement(message, requireElement(message, value.start).start)
  const cookie = requireElement(message, size.end)
  return cookie.end > cookie.start
}

/** The one response to a request that was sent before anything else. Nothing may follow it. */
export async function readOnlyResponse(socket: Socket): Promise<number | undefined> {
  return await new Promise((resolve, reject) => {
    let bytes: Buffer = Buffer.alloc(0)
    const settle = (finish: () => void) => {
      socket.off('data', receive).off('close', fail).off('error', fail)
      socket.pause()
      finish()
    }
    const fail = () => settle(() => reject(new Error('the server closed the connection')))
    const receive = (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk])
      try {
        const end = endOfMessage(bytes)
        if (end === undefined) return
        // It would be read as if TLS had protected it.
        if (end < bytes.length) throw new Error('the server sent more than its response')
        const { resultCode } = readOperation(bytes)
        settle(() => resolve(resultCode))
      } catch (error) {
        settle(() => reject(error))
      }
    }
    socket.on('data', receive).once('close', fail).once('error', fail)
  })
}

/**
 * A connection on which each read is one whole message. ldapts needs that: it takes memory without a limit
 * for a message that never ends, and a stack frame for each of many small ones.
 */
export class LdapMessages extends Duplex {
  /** ldapts asks whether the connection is open already. */
  readonly connecting = false
  readonly readyState = 'open'
  readonly #socket: Socket
  #received: Buffer = Buffer.alloc(0)
  #total = 0
  #entries = 0

  constructor(socket: Socket) {
    super({ readableObjectMode: true })
    this.#socket = socket
    socket.on('data', (chunk: Buffer) => this.#receive(chunk))
    socket.on('error', (error) => this.destroy(error))
    socket.on('close', () => this.destroy(new Error('the server closed the connection')))
  }

  #receive(chunk: Buffer): void {
    try {
      this.#total += chunk.length
      if (this.#total > largestConversation) {
        throw new Error(`the server sent more than ${largestConversation} bytes`)
      }
      this.#received = Buffer.concat([this.#received, chunk])
      let end = endOfMessage(this.#received)
      while (end !== undefined && !this.destroyed) {
        const message = this.#received.subarray(0, end)
        this.#received = this.#received.subarray(end)
        this.#requireWhole(message)
        this.push(message)
        end = endOfMessage(this.#received)
      }
    } catch (error) {
      this.destroy(error as Error)
    }
  }

  /** ldapts ends a search at an empty page, even if the server says that there are more. */
  #requireWhole(message: Buffer): void {
    const { tag, end } = readOperation(message)
    if (tag === entry) this.#entries += 1
    if (tag !== searchDone) return
    if (this.#entries === 0 && hasMorePages(message, end)) {
      throw new Error('the server sent an empty page before the last one')
    }
    this.#entries = 0
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#socket.write(chunk, done)
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy()
    done(error)
  }
}
