import type { Gap } from '../../domain/inventory/history/gaps.ts'

/** Proxies limit the size of a header. */
const mostGaps = 20

/** A string of RFC 9651: plain, or as percent-encoded UTF-8 if it has other characters than ASCII. */
function renderString(text: string): string {
  if (/^[ -~]*$/.test(text)) return `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`
  const bytes = [...Buffer.from(text)].map((byte) =>
    byte < 0x20 || byte > 0x7e || byte === 0x22 || byte === 0x25
      ? `%${byte.toString(16).padStart(2, '0')}`
      : String.fromCodePoint(byte),
  )
  return `%"${bytes.join('')}"`
}

/** Whole seconds, so that the gap is not shown shorter than it is. */
function renderGap({ accountId, region, from, until }: Gap): string {
  const parameters = [
    ...(region === '' ? [] : [`;region=${renderString(region)}`]),
    ...(from === null ? [] : [`;from=@${Math.floor(from / 1_000)}`]),
    ...(until === null ? [] : [`;until=@${Math.ceil(until / 1_000)}`]),
  ]
  return renderString(accountId) + parameters.join('')
}

/** A list of RFC 9651: accounts that were not observed, and since and until when. */
export function renderGaps(gaps: readonly Gap[]): string {
  const more = gaps.length - mostGaps
  const items = gaps.slice(0, mostGaps).map(renderGap)
  return [...items, ...(more > 0 ? [`more;gaps=${more}`] : [])].join(', ')
}

export const gapsHeader = (gaps: readonly Gap[]): Readonly<Record<string, string>> =>
  gaps.length === 0 ? {} : { 'muster-gaps': renderGaps(gaps) }
