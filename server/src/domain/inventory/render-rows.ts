import { hash } from 'node:crypto'
import type { Server } from '@muster/contract'
import { nextTurn } from '../next-turn.ts'
import type { BodyKind, Owner, ServerParts } from './ports.ts'
import type { ServerShape } from './server-query.ts'
import type { Visibility } from './visibility.ts'
import { callerFieldsOf } from './caller-fields.ts'

const metadataKey = Buffer.from(',"metadata":')

/** What follows a server: the end of its object, and a comma before the next. */
const ends = { last: Buffer.from('}'), inner: Buffer.from('},') }
type Place = keyof typeof ends

/** Rows of an answer as bytes, and what tells whether they have changed. */
export interface Rendered {
  readonly pieces: Buffer[]
  readonly digest: string
}

/** What has to be read for a shape. */
export const bodyFor = ({ details, keys }: ServerShape): BodyKind =>
  details || keys ? 'document' : 'summary'

/** A server's JSON, put together from what was rendered when it was written. */
export function serverBytes(
  parts: ServerParts,
  shape: ServerShape,
  owners: ReadonlyMap<string, Owner>,
  visibility: Visibility,
  place: Place = 'last',
): Rendered {
  const { body, metadata } = parts
  const callerFields =
    bodyFor(shape) === 'document' ? callerFieldsOf(owners, parts, visibility) : undefined
  const digest = callerFields ? parts.digest + callerFields.digest : parts.digest
  if (!metadata) return { pieces: [body, callerFields ? callerFields[place] : ends[place]], digest }
  return {
    pieces: [
      body,
      ...(callerFields ? [callerFields.open] : []),
      metadataKey,
      metadata,
      ends[place],
    ],
    digest: digest + parts.metadataDigest,
  }
}

/** A server as an object, with no more than the keys that were asked for. */
export function serverObject(
  parts: ServerParts,
  shape: ServerShape,
  owners: ReadonlyMap<string, Owner>,
  visibility: Visibility,
): Partial<Server> {
  const { pieces } = serverBytes(parts, shape, owners, visibility)
  const server = JSON.parse(Buffer.concat(pieces).toString()) as Server
  const { keys } = shape
  return keys ? Object.fromEntries(keys.map((key) => [key, server[key]])) : server
}

/** So many are rendered at once: it takes the serving thread a few milliseconds. */
const chunkSize = 128

/** The servers of a page, separated by commas. Others get a turn between the chunks of a large one. */
export async function renderRows(
  all: readonly ServerParts[],
  shape: ServerShape,
  owners: ReadonlyMap<string, Owner>,
  visibility: Visibility,
): Promise<Rendered> {
  const chunks: Buffer[] = []
  let pieces: Buffer[] = []
  let digests = ''
  for (const [at, parts] of all.entries()) {
    const isLast = at === all.length - 1
    if (at > 0 && at % chunkSize === 0) {
      // A few large pieces are sent much faster than thousands of small ones.
      chunks.push(Buffer.concat(pieces))
      pieces = []
      await nextTurn()
    }
    if (shape.keys) {
      const text = JSON.stringify(serverObject(parts, shape, owners, visibility))
      pieces.push(Buffer.from(isLast ? text : `${text},`))
      digests += text
    } else {
      const rendered = serverBytes(parts, shape, owners, visibility, isLast ? 'last' : 'inner')
      pieces.push(...rendered.pieces)
      digests += rendered.digest
    }
  }
  return { pieces: [...chunks, ...pieces], digest: hash('md5', digests, 'base64url') }
}
