import { chooseCoding, codedTag, findKnownTag } from '@muster/contract'
import type { Exchange, GatewayAnswer } from '../exchange.ts'
import { consoleHome } from '../next-page.ts'
import type { OwnOrigin } from '../own-origin.ts'
import type { CreateError } from '../ports.ts'
import { readFiles, type ConsoleFile } from './read-files.ts'

/** Allows only resources and requests of this origin, and no framing. The default is for scripts, styles and others. */
const contentSecurityPolicy = [
  "default-src 'self'",
  "img-src 'self' data:",
  "object-src 'none'",
  "frame-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

/** Headers of every response of the console. */
const pageHeaders = (isTls: boolean): Readonly<Record<string, string>> => ({
  'content-security-policy': contentSecurityPolicy,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
  ...(isTls && { 'strict-transport-security': 'max-age=31536000' }),
})

interface Dependencies {
  readonly consoleFolder: string
  readonly ownOrigin: OwnOrigin
  readonly createError: CreateError
}

const entry = 'index.html'

const unbuilt = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Muster</title>
<h1>The console is not built</h1>
<p>The API is up. To have the console too, run <code>npm install</code> and then <code>npm start</code> again.</p>
</html>
`

/** Every path that is not a file returns the single page, which does its own routing. */
const find = (files: ReadonlyMap<string, ConsoleFile>, path: string): ConsoleFile | undefined =>
  files.get(path) ?? (path.startsWith('assets/') ? undefined : files.get(entry))

/** Serves the console's files. */
export function createConsole({ consoleFolder, ownOrigin, createError }: Dependencies) {
  let files: Promise<ReadonlyMap<string, ConsoleFile>> | undefined

  /** Reads the files at the first request. Tries again later if the console is not built yet. */
  async function load(): Promise<ReadonlyMap<string, ConsoleFile>> {
    const reading = (files ??= readFiles(consoleFolder))
    const found = await reading
    if (!found.has(entry) && files === reading) files = undefined
    return found
  }

  function answer(exchange: Exchange, file: ConsoleFile): GatewayAnswer {
    const { 'accept-encoding': accepted, 'if-none-match': ifNoneMatch } = exchange.headers
    const coding = chooseCoding(accepted, [...file.encoded.keys()])
    const plain = `"${file.etag}"`
    const known = findKnownTag(plain, ifNoneMatch)
    const etag = known ?? (coding === undefined ? plain : codedTag(plain, coding))
    const headers = {
      'content-type': file.contentType,
      'cache-control': file.isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
      vary: 'Accept-Encoding',
      etag,
    }
    if (known !== undefined) return { status: 304, headers }
    const encoded = coding && file.encoded.get(coding)
    if (!encoded) return { status: 200, headers, body: file.bytes }
    return { status: 200, headers: { ...headers, 'content-encoding': coding }, body: encoded }
  }

  return async function serveConsole(exchange: Exchange): Promise<GatewayAnswer> {
    const own = pageHeaders(ownOrigin.isTls(exchange))
    for (const [name, value] of Object.entries(own)) exchange.addHeader(name, value)
    const [path = ''] = exchange.url.split('?')
    if (!path.startsWith(consoleHome)) return { status: 302, headers: { location: consoleHome } }
    const found = await load()
    if (!found.has(entry)) {
      const headers = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' }
      return { status: 503, headers, body: Buffer.from(unbuilt) }
    }
    const file = find(found, path.slice(consoleHome.length))
    if (!file) throw createError('NotFoundError', 'No such file in the console.')
    return answer(exchange, file)
  }
}
