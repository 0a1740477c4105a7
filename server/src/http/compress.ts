import { Readable, pipeline } from 'node:stream'
import { promisify } from 'node:util'
import {
  brotliCompress,
  constants,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  gzip,
  zstdCompress,
} from 'node:zlib'
import { codedTag, type ContentCoding, type Operation } from '@muster/contract'
import { isPieces, isStream, type HandlerResult } from './send.ts'

const compressedTypes = /^(?:application\/(?:json|x-ndjson)|text\/(?:csv|html|javascript))(?:;|$)/
/** Below this, compressing costs more than it saves. */
const smallestBody = 1_024

const brotliParams = { [constants.BROTLI_PARAM_QUALITY]: 4 }
const zstdParams = { [constants.ZSTD_c_compressionLevel]: 3 }

/** Asynchronous, so that a large response does not block the event loop. */
const compressors: Readonly<Record<ContentCoding, (bytes: Buffer) => Promise<Buffer>>> = {
  zstd: async (bytes) => await promisify(zstdCompress)(bytes, { params: zstdParams }),
  br: async (bytes) => await promisify(brotliCompress)(bytes, { params: brotliParams }),
  gzip: async (bytes) => await promisify(gzip)(bytes),
}

/** Flushes each chunk, so that rows are sent as soon as the storage returns them. */
const codecs: Readonly<Record<ContentCoding, () => NodeJS.ReadWriteStream & Readable>> = {
  zstd: () => createZstdCompress({ params: zstdParams, flush: constants.ZSTD_e_flush }),
  br: () => createBrotliCompress({ params: brotliParams, flush: constants.BROTLI_OPERATION_FLUSH }),
  gzip: () => createGzip({ flush: constants.Z_SYNC_FLUSH }),
}

const toBytes = (body: unknown): Buffer => {
  if (body instanceof Buffer) return body
  if (isPieces(body)) return body.length === 1 && body[0] ? body[0] : Buffer.concat(body)
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
}

/** Reads a stream until it is known whether it is worth compressing. */
async function readStart(body: AsyncIterable<Buffer>) {
  const chunks = body[Symbol.asyncIterator]()
  const start: Buffer[] = []
  let length = 0
  while (length <= smallestBody) {
    const { done, value } = await chunks.next()
    if (done === true) return { isSmall: true, stream: Readable.from(start) }
    start.push(value)
    length += value.length
  }
  async function* all() {
    try {
      yield* start
      for (;;) {
        const { done, value } = await chunks.next()
        if (done === true) return
        yield value
      }
    } finally {
      // A client that disconnects ends the query too.
      await chunks.return?.()
    }
  }
  return { isSmall: false, stream: Readable.from(all(), { objectMode: false }) }
}

/** Whether responses of this type and operation may be compressed. */
export const isCompressible = (
  { hasSecretResponse }: Pick<Operation, 'hasSecretResponse'>,
  contentType: string,
): boolean => hasSecretResponse !== true && compressedTypes.test(contentType)

async function compressStream(
  result: HandlerResult,
  body: AsyncIterable<Buffer>,
  coding: ContentCoding,
): Promise<HandlerResult> {
  const { isSmall, stream } = await readStart(body)
  if (isSmall) return { ...result, body: stream }
  const codec = codecs[coding]()
  // An error in either stream destroys both, and the reader of the codec receives it.
  pipeline(stream, codec, () => {})
  const headers = { ...result.headers, 'content-encoding': coding }
  return { ...result, headers, body: codec }
}

/** Compresses a response. Identical requests get it from the response cache. */
export async function compress(
  result: HandlerResult,
  coding: ContentCoding,
): Promise<HandlerResult> {
  const { body } = result
  if (body === undefined) return result
  if (isStream(body)) return await compressStream(result, body, coding)
  const bytes = toBytes(body)
  if (bytes.length <= smallestBody) return { ...result, body: [bytes] }
  const compressed = await compressors[coding](bytes)
  const { etag, ...headers } = result.headers ?? {}
  return {
    ...result,
    headers: {
      ...headers,
      ...(etag !== undefined && { etag: codedTag(etag, coding) }),
      'content-encoding': coding,
    },
    body: [compressed],
  }
}
