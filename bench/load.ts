import { execFile, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Load, LoadResult } from './load-types.ts'
import { runWrk } from './wrk.ts'

const run = promisify(execFile)

const hasWrk = spawnSync('wrk', ['--version']).error === undefined

/** The load generator, which is part of the result. */
export const loadGenerator = hasWrk ? 'wrk' : 'autocannon'

/** Generates load from a second process. */
export const putUnderLoad = (load: Load): Promise<LoadResult> =>
  hasWrk ? runWrk(load) : runAutocannon(load)

async function runAutocannon(load: Load): Promise<LoadResult> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-bench-'))
  const file = join(folder, 'load.json')
  writeFileSync(file, JSON.stringify(load))
  const program = fileURLToPath(new URL('autocannon.ts', import.meta.url))
  const { stdout } = await run(process.execPath, [program, file])
  rmSync(folder, { recursive: true })
  return JSON.parse(stdout) as LoadResult
}
