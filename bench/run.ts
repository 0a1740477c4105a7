import { writeFileSync } from 'node:fs'
import { stopAllChildren } from './child-processes.ts'
import { cacheGains } from './caches.ts'
import { coldPages } from './cold-pages.ts'
import { consoleFigures } from './console.ts'
import { deepPages } from './deep-pages.ts'
import type { Benchmark, Row } from './benchmark.ts'
import { filterPairTimes } from './filter-pairs.ts'
import { fleetQueries } from './fleet-queries.ts'
import { fleetSize } from './fleet-size.ts'
import { accessKeyLogins, tokenLogins } from './logins.ts'
import { historyQueries } from './history.ts'
import { hotPageOfChangingFleet, hotPages, singleServer, unchangedPages } from './page-reads.ts'
import { options } from './options.ts'
import { passwordLogins } from './password-login.ts'
import { postgresRates } from './postgres.ts'
import { idleMemory, startupTime } from './start-and-memory.ts'
import { recordingCosts } from './recording.ts'
import { renderTable, type Measured } from './table.ts'
import { searchDuringFlood } from './search-during-flood.ts'
import { syncRates } from './sync.ts'
import { taskRates } from './tasks.ts'
import { tokenChecks } from './token-check.ts'

/**
 * `npm run bench` runs all benchmarks and writes `bench/results.md`. `npm run bench -- P9` runs one,
 * `npm run bench -- access` those with the word in their title. `--servers 100000` uses a smaller fleet.
 */
const benchmarks: readonly Benchmark[] = [
  hotPages,
  hotPageOfChangingFleet,
  coldPages,
  singleServer,
  unchangedPages,
  fleetSize,
  fleetQueries,
  filterPairTimes,
  searchDuringFlood,
  deepPages,
  passwordLogins,
  tokenLogins,
  accessKeyLogins,
  tokenChecks,
  syncRates,
  startupTime,
  idleMemory,
  consoleFigures,
  postgresRates,
  taskRates,
  cacheGains,
  historyQueries,
  recordingCosts,
]

const { wanted } = options
const chosen = benchmarks.filter(
  ({ id, title }) =>
    wanted.length === 0 || wanted.some((word) => id === word || title.includes(word)),
)

/** A failed benchmark is a row of the table; the others continue. */
async function measure(benchmark: Benchmark): Promise<readonly Row[]> {
  const begin = performance.now()
  process.stderr.write(`${benchmark.id} ${benchmark.title} …\n`)
  try {
    const rows = await benchmark.measure()
    const seconds = (performance.now() - begin) / 1_000
    process.stderr.write(`${benchmark.id} ${benchmark.title}: ${seconds.toFixed(0)} s\n`)
    return rows
  } catch (error) {
    process.stderr.write(`${String(error)}\n`)
    await stopAllChildren()
    return [{ what: 'could not be measured', measured: '', target: '', reached: false }]
  }
}

const measured: Measured[] = []
for (const benchmark of chosen) measured.push({ benchmark, rows: await measure(benchmark) })

const table = renderTable(measured)
process.stdout.write(table)
if (wanted.length === 0) writeFileSync(new URL('results.md', import.meta.url), table)
