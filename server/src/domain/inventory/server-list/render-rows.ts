import type { Server } from '@muster/contract'
import { inTurns } from '../../next-turn.ts'
import type { ServerParts } from '../ports.ts'
import type { ServerShape } from './server-query.ts'
import type { Visibility } from './visibility.ts'
import {
  callerFieldsKey,
  deleteState,
  renderCallerFields,
  type DeleteState,
  type Ownership,
} from '../caller-fields.ts'

const metadataKey = ',"metadata":'

/** Whether two servers have the same caller fields for certain: most servers of a page have the same owner. */
const hasSameOwner = (a: ServerParts, b: ServerParts): boolean =>
  a.projectId === b.projectId &&
  a.domainId === b.domainId &&
  a.managerProjectId === b.managerProjectId &&
  a.isDeleted === b.isDeleted &&
  a.accountId === b.accountId &&
  a.adminGroup === b.adminGroup

/** Puts the JSON of servers together from what was rendered when they were written. */
export function createRowRenderer(shape: ServerShape, owners: Ownership, visibility: Visibility) {
  const { details, keys, withMetadata } = shape
  const isWhole = details || keys !== undefined
  /** What follows the stored body, by what it depends on: most servers of a page share it. */
  const shared = new Map<string, Buffer>()
  /** The same server has another digest in another form. */
  const form = `${isWhole} ${withMetadata} `
  let digests = ''

  let last:
    | {
        readonly parts: ServerParts
        readonly state: DeleteState
        readonly end: string
        readonly bytes: Buffer
      }
    | undefined

  function sharedBytes(parts: ServerParts, end: string): Buffer {
    const state = isWhole ? deleteState(parts, owners) : 'observed'
    const isSame =
      last?.end === end && last.state === state && (!isWhole || hasSameOwner(last.parts, parts))
    if (last && isSame) return last.bytes
    const key = isWhole ? `${end}${callerFieldsKey(parts, visibility, state)}` : end
    let bytes = shared.get(key)
    if (!bytes) {
      const text = isWhole ? renderCallerFields(owners, parts, visibility, state) : ''
      bytes = Buffer.from(text + end)
      shared.set(key, bytes)
      digests += text
    }
    last = { parts, state, end, bytes }
    return bytes
  }

  function renderStored(parts: ServerParts, after: string): Buffer[] {
    const { shortLength, metadata } = parts
    const body = isWhole ? parts.body : parts.body.subarray(0, shortLength)
    digests += form + parts.digest
    if (!withMetadata) return [body, sharedBytes(parts, `}${after}`)]
    return [body, sharedBytes(parts, metadataKey), metadata, Buffer.from(`}${after}`)]
  }

  /** A server as an object, with the requested keys only. */
  function renderObject(parts: ServerParts): Partial<Server> {
    const server = JSON.parse(Buffer.concat(renderStored(parts, '')).toString()) as Server
    return keys ? Object.fromEntries(keys.map((key) => [key, server[key]])) : server
  }

  return {
    renderObject,
    /** A server's JSON in pieces. `after` follows it, such as a comma. */
    render(parts: ServerParts, after = ''): Buffer[] {
      if (!keys) return renderStored(parts, after)
      const before = digests
      const text = JSON.stringify(renderObject(parts))
      digests = before + text
      return [Buffer.from(text + after)]
    },
    /** Digests of everything that was rendered so far. */
    digests: (): string => digests,
  }
}
export type RowRenderer = ReturnType<typeof createRowRenderer>

/** The servers of a page, separated by commas. Other requests run between the chunks of a large page. */
export async function renderRows(
  { render }: RowRenderer,
  all: readonly ServerParts[],
): Promise<Buffer[]> {
  const chunks: Buffer[] = []
  const last = all.at(-1)
  let pieces: Buffer[] = []
  for await (const some of inTurns(all)) {
    // A few large pieces are sent much faster than thousands of small ones.
    if (pieces.length > 0) chunks.push(Buffer.concat(pieces))
    pieces = some.flatMap((parts) => render(parts, parts === last ? '' : ','))
  }
  return [...chunks, ...pieces]
}
