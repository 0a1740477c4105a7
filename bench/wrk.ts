import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Load, LoadResult } from './load-types.ts'
import { writeWrkScript } from './wrk-script.ts'

const run = promisify(execFile)

const milliseconds: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1_000 }

/** One thread: on two cores, one is for the client and one for the server. */
export async function runWrk(load: Load): Promise<LoadResult> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-bench-'))
  const script = writeWrkScript(folder, load)
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
  const readTime = (percentile: number) => {
    const [time = '0', unit = 'ms'] = read(new RegExp(`${percentile}%\\s+([\\d.]+)(us|ms|s)`))
    return Number(time) * (milliseconds[unit] ?? 1)
  }
  const [perSecond = '0'] = read(/Requests\/sec:\s+([\d.]+)/)
  // If the requests end before the time is up, wrk's own rate is too low.
  const [untilTheLast] = read(/^until the last: ([\d.]+)/m)
  const [refused = '0'] = read(/Non-2xx or 3xx responses: (\d+)/)
  return {
    perSecond: Number(untilTheLast ?? perSecond),
    p50: readTime(50),
    p99: readTime(99),
    refused: Number(refused),
  }
}
