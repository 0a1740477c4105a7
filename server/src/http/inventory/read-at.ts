import type { ScopeParameter } from '@muster/contract'
import type { Caller } from '../../domain/identity/caller.ts'
import { badField } from '../../domain/error.ts'
import type { AskedServers } from '../../domain/inventory/history/gaps-at.ts'
import type { Gap } from '../../domain/inventory/history/gaps.ts'
import { timestamp } from '../../domain/timestamp.ts'
import type { InventoryReads } from './handlers.ts'
import { readPatience, withMoment } from './pending-answer.ts'
import { gapsHeader } from './render-gaps.ts'

export interface AskedMoment {
  readonly asOf: string
  readonly caller: Caller
  readonly isRelativeAllowed: boolean
  /** Milliseconds after which to throw `PendingMoment`; undefined to wait until the moment is built. */
  readonly patience: number | undefined
}

export interface ReadPast<Reads = InventoryReads> {
  /** The inventory at the moment that `as_of` tells. */
  (asked: AskedMoment): Promise<{
    readonly reads: Reads
    readonly time: number
    /** The inventory is there until this is called. */
    readonly release: () => void
    /** The gaps at that moment. */
    readonly gapsOf: (asked: AskedServers) => Promise<readonly Gap[]>
  }>
}

interface Call {
  readonly caller: Caller
  readonly url: string
  readonly query: {
    readonly as_of?: string
    readonly marker?: string
    readonly scope?: ScopeParameter
  }
  readonly prefer: string | undefined
  readonly onEnd: (end: () => void) => void
}

interface ReadAt<Reads> {
  readonly reads: Reads
  readonly headers: Readonly<Record<string, string>>
  /** The address of the request. The next page of a list is of the same moment. */
  readonly url: string
  readonly isPast: boolean
}

interface Options {
  readonly isRelativeAllowed?: boolean
  /** By default the scope of the token. */
  readonly defaultScope?: ScopeParameter
  /** The id or name of the only server that the request is about. */
  readonly server?: string
}

/** The inventory that a request reads: as it is now, or as it was. */
export function createReadAt<Reads>(now: Reads, readPast: ReadPast<Reads>) {
  return async function readAt(
    { caller, url, query, prefer, onEnd }: Call,
    { isRelativeAllowed = true, defaultScope, server }: Options = {},
  ): Promise<ReadAt<Reads>> {
    const { as_of: asOf, marker } = query
    if (asOf === undefined) return { reads: now, headers: {}, url, isPast: false }
    if (!/^\d/.test(asOf) && marker !== undefined) {
      throw badField('as_of', 'must be absolute with a marker. Take both from the Link header.')
    }
    const { reads, time, release, gapsOf } = await readPast({
      asOf,
      caller,
      isRelativeAllowed,
      patience: readPatience(prefer),
    })
    onEnd(release)
    const moment = timestamp(time)
    const gaps = await gapsOf({
      scope: query.scope ?? defaultScope,
      ...(server !== undefined && { server }),
    })
    return {
      reads,
      headers: {
        'muster-as-of': moment,
        ...gapsHeader(gaps),
      },
      url: withMoment(url, moment),
      isPast: true,
    }
  }
}
export type ReadAtMoment<Reads = InventoryReads> = ReturnType<typeof createReadAt<Reads>>

/**
 * A response about the past is not sent again from the cache: a value may be removed from it, or a gap found, and
 * no version tells of that.
 */
export const cacheNow = <Response extends object>(isPast: boolean, response: Response): Response =>
  isPast ? { ...response, isFresh: undefined } : response
