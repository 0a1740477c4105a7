import { html, type Html, type Insertable } from './html.ts'

/** Fits the column of samples on a wide screen. */
const lineWidth = 54

/** JSON for reading: what fits on a line stays on it. */
export function layOutJson(value: unknown, indent = '', column = 0): string {
  const oneLine = inlineJson(value)
  if (typeof value !== 'object' || value === null) return oneLine
  if (column + oneLine.length <= lineWidth) return oneLine
  const deeper = `${indent}  `
  const [start, end] = Array.isArray(value) ? '[]' : '{}'
  const lines = Object.entries(value).map(([key, item]) => {
    const label = Array.isArray(value) ? deeper : `${deeper}${JSON.stringify(key)}: `
    return label + layOutJson(item, deeper, label.length)
  })
  return `${start}\n${lines.join(',\n')}\n${indent}${end}`
}

function inlineJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inlineJson).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const pairs = Object.entries(value).map(
    ([key, item]) => `${JSON.stringify(key)}: ${inlineJson(item)}`,
  )
  return pairs.length === 0 ? '{}' : `{ ${pairs.join(', ')} }`
}

/** JSON with its values marked, so that they stand out from the keys. */
export function highlightJson(json: string): Insertable {
  const parts = json.split(/("(?:\\.|[^"\\])*":?|\b(?:true|false|null)\b|-?\b\d[\d.eE+-]*)/)
  return parts.map((part, index) => {
    const isValue = index % 2 === 1 && !part.endsWith('":')
    return isValue ? html`<span class="value">${part}</span>` : part
  })
}

interface CurlCall {
  readonly method: string
  readonly address: string
  /** As in the contract: `/v3/users/{id}`. */
  readonly path: string
  readonly query?: readonly string[]
  /** Names of headers whose values are in shell variables. */
  readonly headers?: readonly string[]
  readonly body?: unknown
  /** Options before all others. */
  readonly options?: readonly string[]
}

/** A curl command to paste into a shell; what is not known is a variable in it. */
export function curlCommand(call: CurlCall): string {
  const lines = [
    ...(call.options ?? []),
    ...methodOption(call),
    `"${call.address.replace(/["$`\\]/g, String.raw`\$&`)}${shellPath(call.path)}${shellQuery(call.query)}"`,
    ...(call.headers ?? []).map((name) => `--header "${name}: ${shellVariable(name)}"`),
    ...(call.body === undefined ? [] : bodyOptions(call.body)),
  ]
  return `curl ${lines.join(' \\\n  ')}`
}

function methodOption({ method, body }: CurlCall): string[] {
  if (method === 'HEAD') return ['--head']
  return method === (body === undefined ? 'GET' : 'POST') ? [] : [`--request ${method}`]
}

const bodyOptions = (body: unknown) => [
  `--header 'Content-Type: application/json'`,
  `--data '${layOutJson(body, '  ').replaceAll(`'`, String.raw`'\''`)}'`,
]

const shellPath = (path: string) =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => shellVariable(name))

const shellQuery = (names: readonly string[] = []) =>
  names.length === 0 ? '' : `?${names.map((name) => `${name}=${shellVariable(name)}`).join('&')}`

/** `X-Subject-Token` is in `$SUBJECT_TOKEN`, and the caller's own token simply in `$TOKEN`. */
function shellVariable(name: string): string {
  const bare = name.replace(/^x-(auth-)?/i, '')
  return `$${bare.replace(/\W/g, '_').toUpperCase()}`
}

/** A block of code under its name. */
export const renderSample = (name: string, code: Insertable): Html =>
  html`<figure class="sample">
    <figcaption>${name}</figcaption>
    <pre tabindex="0"><code>${code}</code></pre>
  </figure> `
