import { writeFileSync } from 'node:fs'
import { accessKeyLogins } from './access-key-login.ts'
import { endAll } from './child.ts'
import { coldPages } from './cold-pages.ts'
import { consoleFigures } from './console.ts'
import { deepPages } from './deep-page.ts'
import type { Figure, Row } from './figure.ts'
import { pairsOfFilters } from './filter-pairs.ts'
import { fleetQueries } from './fleet-queries.ts'
import { fleetSize } from './fleet-size.ts'
import { hotPages, unchangedPages } from './hot-page.ts'
import { singleServer } from './one-server.ts'
import { options } from './options.ts'
import { passwordLogins } from './password-login.ts'
import { postgresRates } from './postgres.ts'
import { memoryAtRest, startToFirstAnswer } from './start-and-memory.ts'
import { renderTable, type Measured } from './table.ts'
import { searchUnderAttack } from './under-attack.ts'
import { syncRates } from './sync.ts'
import { tokenChecks } from './token-check.ts'
import { tokenLogins } from './token-login.ts'

/**
 * `npm run bench` measures everything and writes `bench/results.md`; `npm run bench -- P9` just
 * that, and `npm run bench -- access` what has the word in its title. `--servers 100000` takes a
 * smaller fleet.
 */
const figures: readonly Figure[] = [
  hotPages,
  coldPages,
  singleServer,
  unchangedPages,
  fleetSize,
  fleetQueries,
  pairsOfFilters,
  searchUnderAttack,
  deepPages,
  passwordLogins,
  tokenLogins,
  accessKeyLogins,
  tokenChecks,
  syncRates,
  startToFirstAnswer,
  memoryAtRest,
  consoleFigures,
  postgresRates,
]

const { wanted } = options
const chosen = figures.filter(
  ({ id, title }) =>
    wanted.length === 0 || wanted.some((word) => id === word || title.includes(word)),
)

/** One that fails says so in the table: the others are not lost with it. */
async function measure(figure: Figure): Promise<readonly Row[]> {
  process.stderr.write(`${figure.id} ${figure.title} …\n`)
  try {
    return await figure.measure()
  } catch (error) {
    process.stderr.write(`${String(error)}\n`)
    await endAll()
    return [{ what: 'could not be measured', measured: '', target: '', reached: false }]
  }
}

const measured: Measured[] = []
for (const figure of chosen) measured.push({ figure, rows: await measure(figure) })

const table = renderTable(measured)
process.stdout.write(table)
if (wanted.length === 0) writeFileSync(new URL('results.md', import.meta.url), table)
