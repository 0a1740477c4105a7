import { SourceError } from '../../domain/sources/source-error.ts'

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
/** Longer messages are dropped as they arrive. libvirt's own limit of a text is 4 MiB. */
export const longestKept = 8 * 2 ** 20
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

/** Splits a byte stream into messages. */
export function createFrameSplitter() {
  /** The message so far. It grows to the length of the message, so that few bytes in each chunk do not matter. */
  let message = Buffer.alloc(0)
  let held = 0
  /** The length of the message; 0 until its first four bytes tell it. */
  let length = 0

  /** Adds bytes of the current message, and returns how many. Of one that is too long only the head is kept. */
  function take(chunk: Buffer, at: number): number {
    const wanted = length === 0 ? 4 : length
    const kept = wanted > longestKept ? headLength : wanted
    const taken = Math.min(wanted - held, chunk.length - at)
    const end = Math.min(held + taken, kept)
    if (end > message.length) {
      const larger = Buffer.alloc(Math.min(kept, Math.max(end, 2 * message.length)))
      message.copy(larger)
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
        if (length === 0 || held < length) continue
        const frame = decodeFrame(message)
        const isTooLong = length > longestKept
        message = Buffer.alloc(0)
        held = 0
        length = 0
        yield isTooLong ? { ...frame, isTooLong } : frame
      }
    },
    /** Whether a message is incomplete. */
    isWaiting: () => held > 0,
  }
}
