import { SourceError } from '../../domain/sources/source-error.ts'
import { freeBuffer } from '../shared/free-buffer.ts'
import { procedures } from './protocol.ts'

export interface Frame {
  readonly program: number
  readonly procedure: number
  readonly type: number
  readonly serial: number
  readonly status: number
  readonly body: Buffer
  /** Whether it exceeded the limit. Then its body was dropped. */
  readonly isTooLong?: boolean
}

const headLength = 28
/** libvirt's limit of 32 MiB plus the header. */
const longestFrame = 33_554_432 + headLength
const mebibyte = 2 ** 20
/**
 * The longest responses that are kept, by procedure. A host may have any number of networks, pools and filters, so their
 * descriptions have less than the others: 256 KiB are 3,500 DHCP reservations, and 1 MiB 8,000 leases.
 */
const shorter: ReadonlyMap<number, number> = new Map([
  [procedures.networkGetXmlDesc, mebibyte / 4],
  [procedures.networkGetDhcpLeases, mebibyte],
  [procedures.storagePoolGetXmlDesc, mebibyte / 4],
  [procedures.nwfilterGetXmlDesc, mebibyte / 4],
])
/** Longer messages are dropped as they arrive. libvirt's own limit of a text is 4 MiB. */
export const longestOf = (procedure: number): number => shorter.get(procedure) ?? 8 * mebibyte
const version = 1

/** Encodes a message with its length. */
export function encodeFrame({ program, procedure, type, serial, status, body }: Frame): Buffer {
  const head = Buffer.alloc(headLength)
  const words = [headLength + body.length, program, version, procedure, type, serial, status]
  for (const [index, word] of words.entries()) head.writeUInt32BE(word, index * 4)
  return Buffer.concat([head, body])
}

function decodeFrame(bytes: Buffer): Frame {
  const word = (index: number) => bytes.readUInt32BE(index * 4)
  if (word(2) !== version) {
    throw new SourceError(
      'invalid-response',
      'The server does not use version 1 of the libvirt protocol.',
    )
  }
  return {
    program: word(1),
    procedure: word(3),
    type: word(4),
    serial: word(5),
    status: word(6),
    body: bytes.subarray(headLength),
  }
}

/** Splits a byte stream into messages. The body of a message is lost with the next step of the iterator. */
export function createFrameSplitter() {
  /** The message so far. It grows to the length of the message, so that few bytes in each chunk do not matter. */
  let message = Buffer.alloc(0)
  let held = 0
  /** The length of the message; 0 until its first four bytes tell it. */
  let length = 0
  /** Whether it is too long, once its head is complete. */
  let isTooLong = false

  /** Adds bytes of the current message, and returns how many. Of one that is too long only the head is kept. */
  function take(chunk: Buffer, at: number): number {
    const wanted = length === 0 ? 4 : held < headLength ? headLength : length
    const kept = isTooLong ? headLength : wanted
    const taken = Math.min(wanted - held, chunk.length - at)
    const end = Math.min(held + taken, kept)
    if (end > message.length) {
      const larger = Buffer.alloc(Math.min(kept, Math.max(end, 2 * message.length)))
      message.copy(larger)
      freeBuffer(message)
      message = larger
    }
    if (end > held) chunk.copy(message, held, at, at + end - held)
    held += taken
    return taken
  }

  return {
    *push(chunk: Buffer): Generator<Frame> {
      for (let at = 0; at < chunk.length;) {
        at += take(chunk, at)
        if (length === 0 && held === 4) {
          length = message.readUInt32BE()
          if (length < headLength || length > longestFrame) {
            throw new SourceError('invalid-response', 'The server sent an invalid libvirt message.')
          }
        }
        if (held === headLength) isTooLong = length > longestOf(decodeFrame(message).procedure)
        if (length === 0 || held < length) continue
        const [bytes, isWhole] = [message, !isTooLong]
        const frame = decodeFrame(bytes)
        message = Buffer.alloc(0)
        held = 0
        length = 0
        isTooLong = false
        yield isWhole ? frame : { ...frame, isTooLong: true }
        freeBuffer(bytes)
      }
    },
    /** Whether a message is incomplete. */
    isWaiting: () => held > 0,
  }
}
