import { writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { accessKeyLogins } from './access-key-login.ts'
import type { Figure, Row } from './figure.ts'
import { loadGenerator } from './load.ts'
import { passwordLogins } from './password-login.ts'
import { memoryAtRest, startToFirstAnswer } from './start-and-memory.ts'
import { tokenChecks } from './token-check.ts'
import { tokenLogins } from './token-login.ts'

/**
 * `npm run bench` measures everything and writes `bench/results.md`; `npm run bench -- P9` just
 * that, and `npm run bench -- access` what has the word in its title.
 */
const figures: readonly Figure[] = [
  passwordLogins,
  tokenLogins,
  accessKeyLogins,
  tokenChecks,
  startToFirstAnswer,
  memoryAtRest,
]

const wanted = process.argv.slice(2)
const chosen = figures.filter(
  ({ id, title }) =>
    wanted.length === 0 || wanted.some((word) => id === word || title.includes(word)),
)

const lines: string[] = []
for (const figure of chosen) {
  process.stderr.write(`${figure.id} ${figure.title} …\n`)
  lines.push(...(await figure.measure()).map((row) => renderRow(figure, row)))
}

function renderRow({ id, title }: Figure, { what, measured, target, reached }: Row): string {
  return `| ${id} | ${title}: ${what} | ${measured} | ${target} | ${reached ? 'yes' : '**no**'} |`
}

const table = [
  '# Bench',
  '',
  `Measured ${new Date().toISOString().slice(0, 10)} on Node ${process.versions.node}, ${availableParallelism()} cores, load by ${loadGenerator}; \`npm run bench\` makes this table anew.`,
  'Every figure is the best of three rounds, in which the contenders took turns. SQLite, WAL, full sync; log level `warn`.',
  '',
  '| # | what | measured | to reach | reached |',
  '|---|---|---|---|---|',
  ...lines,
  '',
].join('\n')

process.stdout.write(table)
if (wanted.length === 0) writeFileSync(new URL('results.md', import.meta.url), table)
