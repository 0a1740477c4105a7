/** The format of a list. Those other than JSON are not paged. */
export type Format = 'json' | 'csv' | 'ndjson'

const formats: Readonly<Record<string, Format>> = {
  'application/json': 'json',
  'application/*': 'json',
  '*/*': 'json',
  'text/csv': 'csv',
  'application/x-ndjson': 'ndjson',
}

/** The weight of a type, from 0 to 1. A value that is not a number counts as 1. */
function qualityOf(parameters: readonly string[]): number {
  const text = parameters.find((parameter) => /^q=/i.test(parameter))?.slice(2)
  const quality = text === undefined ? 1 : Number(text)
  return quality >= 0 && quality <= 1 ? quality : 1
}

/** The format that an `Accept` header prefers. JSON if it prefers several equally, or none that Muster has. */
export function chooseFormat(accept: string): Format {
  if (accept === '' || accept === '*/*') return 'json'
  const wanted: Record<Format, number> = { json: 0, csv: 0, ndjson: 0 }
  for (const range of accept.split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim())
    const name = type.toLowerCase()
    const format = Object.hasOwn(formats, name) ? formats[name] : undefined
    if (format) wanted[format] = Math.max(wanted[format], qualityOf(parameters))
  }
  const order = ['json', 'csv', 'ndjson'] as const
  return order.reduce((best, format) => (wanted[format] > wanted[best] ? format : best))
}
