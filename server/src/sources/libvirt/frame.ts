import { SourceError } from '../../domain/sources/source-error.ts'

export interface Frame {
  readonly program: number
  readonly procedure: number
  readonly type: number
  readonly serial: number
  readonly status: number
  readonly body: Buffer
}

const headLength = 28
/** libvirt's limit of 32 MiB plus the header. */
const longestFrame = 33_554_432 + headLength
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
  let chunks: Buffer[] = []
  let held = 0

  /** The first bytes as one buffer. */
  const front = (length: number): Buffer => {
    if ((chunks[0]?.length ?? 0) < length) chunks = [Buffer.concat(chunks)]
    return (chunks[0] as Buffer).subarray(0, length)
  }

  return {
    *push(chunk: Buffer): Generator<Frame> {
      chunks.push(chunk)
      held += chunk.length
      while (held >= 4) {
        const length = front(4).readUInt32BE()
        if (length < headLength || length > longestFrame) {
          throw new SourceError('invalid-response', 'The server sent an invalid libvirt message.')
        }
        if (held < length) return
        const bytes = front(length)
        chunks[0] = (chunks[0] as Buffer).subarray(length)
        held -= length
        yield decodeFrame(bytes)
      }
    },
    /** Whether a message is incomplete. */
    isWaiting: () => held > 0,
  }
}
