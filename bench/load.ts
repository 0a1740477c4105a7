import { execFile, spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface Load {
  readonly url: string
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Instead of one body, one for each request, none of which is sent twice. All are of one length. */
  readonly bodies?: readonly string[]
  readonly connections: number
  readonly seconds: number
}

export interface LoadResult {
  readonly perSecond: number
  /** Milliseconds. */
  readonly p99: number
  /** Answers that were not 2xx. */
  readonly refused: number
}

const hasWrk = spawnSync('wrk', ['--version']).error === undefined

/** Which program made the load; it belongs to the figures. */
export const loadGenerator = hasWrk ? 'wrk' : 'autocannon'

/** Puts a server under load from a second process. */
export const putUnderLoad = (load: Load): Promise<LoadResult> =>
  hasWrk ? runWrk(load) : runAutocannon(load)

/** The script that tells wrk what to send. */
function writeScript(folder: string, load: Load): string {
  const script = join(folder, 'request.lua')
  // JSON's quoting of a text is also Lua's, for the plain texts used here.
  const headers = Object.entries(load.headers ?? {}).map(
    ([name, value]) => `wrk.headers[${JSON.stringify(name)}] = ${JSON.stringify(value)}`,
  )
  writeFileSync(
    script,
    [
      `wrk.method = ${JSON.stringify(load.method ?? 'GET')}`,
      ...(load.body === undefined ? [] : [`wrk.body = ${JSON.stringify(load.body)}`]),
      ...headers,
      ...(load.bodies ? writeRequests(folder, load, load.bodies) : []),
    ].join('\n'),
  )
  return script
}

/** Whole requests in a file, for wrk to read one after the other: making them is none of its work. */
function writeRequests(folder: string, load: Load, bodies: readonly string[]): string[] {
  const { host, pathname } = new URL(load.url)
  const length = Buffer.byteLength(bodies[0] ?? '')
  const headers = { host, ...load.headers, 'content-length': String(length) }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const head = [`${load.method ?? 'GET'} ${pathname} HTTP/1.1`, ...lines, '', ''].join('\r\n')
  const file = join(folder, 'requests')
  const handle = openSync(file, 'w')
  for (const body of bodies) writeSync(handle, head + body)
  closeSync(handle)
  return [
    `local requests = assert(io.open(${JSON.stringify(file)}, "rb"))`,
    'local last',
    'function request()',
    // Who comes after the last one repeats it, and is refused.
    `  last = requests:read(${head.length + length}) or last`,
    '  return last',
    'end',
  ]
}

async function runWrk(load: Load): Promise<LoadResult> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-bench-'))
  const script = writeScript(folder, load)
  const { stdout } = await run('wrk', [
    '-t1',
    `-c${load.connections}`,
    `-d${load.seconds}s`,
    '--latency',
    '-s',
    script,
    load.url,
  ])
  rmSync(folder, { recursive: true })
  const read = (pattern: RegExp) => pattern.exec(stdout)?.slice(1) ?? []
  const [perSecond = '0'] = read(/Requests\/sec:\s+([\d.]+)/)
  const [latency = '0', unit = 'ms'] = read(/99%\s+([\d.]+)(us|ms|s)/)
  const [refused = '0'] = read(/Non-2xx or 3xx responses: (\d+)/)
  const milliseconds = { us: 0.001, ms: 1, s: 1_000 }[unit] ?? 1
  return {
    perSecond: Number(perSecond),
    p99: Number(latency) * milliseconds,
    refused: Number(refused),
  }
}

async function runAutocannon(load: Load): Promise<LoadResult> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-bench-'))
  const file = join(folder, 'load.json')
  writeFileSync(file, JSON.stringify(load))
  const program = fileURLToPath(new URL('autocannon.ts', import.meta.url))
  const { stdout } = await run(process.execPath, [program, file])
  rmSync(folder, { recursive: true })
  return JSON.parse(stdout) as LoadResult
}
