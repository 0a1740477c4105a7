import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
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

async function runWrk(load: Load): Promise<LoadResult> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-bench-'))
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
    ].join('\n'),
  )
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
  const program = fileURLToPath(import.meta.resolve('autocannon'))
  const headers = Object.entries(load.headers ?? {}).flatMap(([name, value]) => [
    '-H',
    `${name}=${value}`,
  ])
  const { stdout } = await run(
    process.execPath,
    [
      program,
      '--json',
      `--connections=${load.connections}`,
      `--duration=${load.seconds}`,
      `--method=${load.method ?? 'GET'}`,
      ...headers,
      ...(load.body === undefined ? [] : ['-b', load.body]),
      load.url,
    ],
    { maxBuffer: 16 * 1_024 * 1_024 },
  )
  const result = JSON.parse(stdout) as {
    requests: { average: number }
    latency: { p99: number }
    non2xx: number
  }
  return { perSecond: result.requests.average, p99: result.latency.p99, refused: result.non2xx }
}
