import { defaultPageSize, maxPageSize, type AccountGapsQuery } from '@muster/contract'
import type { Clock } from '../clock.ts'
import { badField } from '../error.ts'
import { readOpaque } from '../inventory/history/change-marker.ts'
import type { GapMarker, GapStore } from '../inventory/history/gaps.ts'
import { timestampOrNull } from '../timestamp.ts'

interface Dependencies {
  readonly gaps: Pick<GapStore, 'of'>
  readonly clock: Clock
}

const writeMarker = ({ until, region }: GapMarker): string =>
  Buffer.from(JSON.stringify([until, region])).toString('base64url')

function readMarker(text: string): GapMarker {
  const [until, region, ...others] = readOpaque(text)
  const isTime = until === null || Number.isSafeInteger(until)
  if (!isTime || typeof region !== 'string' || others.length > 0) {
    throw badField('marker', 'is invalid. Take it from the Link header.')
  }
  return { until: until as number | null, region: region.replaceAll('\0', '') }
}

/** Lists when an account was not observed, newest first. */
export function createListGaps({ gaps, clock }: Dependencies) {
  return async function listGaps(accountId: string, { limit, marker }: AccountGapsQuery) {
    const most = Math.min(limit ?? defaultPageSize, maxPageSize)
    const found = await gaps.of(accountId, {
      ...(marker !== undefined && { after: readMarker(marker) }),
      limit: most + 1,
      now: clock(),
    })
    const page = found.slice(0, most)
    const last = page.at(-1)
    return {
      items: page.map(({ from, until, region }) => ({
        from: timestampOrNull(from),
        until: timestampOrNull(until),
        region,
      })),
      limit: most,
      next: found.length > most && last ? writeMarker(last) : undefined,
    }
  }
}
