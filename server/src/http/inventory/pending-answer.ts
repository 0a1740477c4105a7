import type { PendingMoment } from '../../domain/inventory/history/pending-moment.ts'
import { timestamp } from '../../domain/timestamp.ts'

/** How long a client that prefers an answer at once waits, in milliseconds. Undefined if it waits to the end (RFC 7240). */
export function readPatience(prefer: string | undefined): number | undefined {
  const preferences = prefer?.toLowerCase().split(',') ?? []
  const named = new Map(
    preferences.map((preference) => {
      const [name = '', value = ''] = preference.split(';', 1)[0]?.split('=') ?? []
      return [name.trim(), value.trim().replaceAll('"', '')]
    }),
  )
  if (!named.has('respond-async')) return undefined
  const wait = named.get('wait') ?? ''
  return /^\d{1,3}$/.test(wait) ? Number(wait) * 1_000 : 1_000
}

/** The address of a request, about one moment. */
export function withMoment(url: string, time: string): string {
  const [path = '', search = ''] = url.split('?', 2)
  const others = search
    .split('&')
    .filter((part) => part !== '' && !new URLSearchParams(part).has('as_of'))
  return `${path}?${[...others, `as_of=${encodeURIComponent(time)}`].join('&')}`
}

/** The same request can be sent again until the moment is there. */
export function pendingAnswer(url: string, { time, progress }: PendingMoment) {
  const moment = timestamp(time)
  return {
    status: 202,
    headers: {
      'muster-as-of': moment,
      'preference-applied': 'respond-async',
      'retry-after': '1',
      location: withMoment(url, moment),
    },
    body: { moment: { as_of: moment, progress: Math.round(progress * 100) / 100 } },
  }
}
