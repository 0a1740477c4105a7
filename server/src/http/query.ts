import { badField, PlatformError } from '../domain/error.ts'

function decode(text: string): string {
  let decoded: string
  try {
    decoded = decodeURIComponent(text.replaceAll('+', ' '))
  } catch (cause) {
    throw new PlatformError('InvalidFormatError', 'The query is not percent-encoded UTF-8.', {
      cause,
    })
  }
  if (decoded.includes('\0')) {
    throw new PlatformError('InvalidFormatError', 'The query holds a NUL character.')
  }
  return decoded
}

/** Reads a query into one value a name. A parameter that is unknown or given twice is an error. */
export function readQuery(url: string, known: readonly string[]): Map<string, string> {
  const start = url.indexOf('?')
  const parameters = new Map<string, string>()
  if (start === -1) return parameters
  for (const pair of url.slice(start + 1).split('&')) {
    if (pair === '') continue
    const [name = '', ...value] = pair.split('=')
    const key = decode(name)
    if (!known.includes(key)) throw badField(key, 'is not a known parameter')
    if (parameters.has(key)) throw badField(key, 'is given twice')
    parameters.set(key, decode(value.join('=')))
  }
  return parameters
}
