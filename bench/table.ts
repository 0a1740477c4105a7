import { availableParallelism } from 'node:os'
import { demoProjects } from '../simulator/src/demo/organisation.ts'
import type { Figure, Row } from './figure.ts'
import { loadGenerator } from './load.ts'
import { options, smallSize } from './options.ts'

export interface Measured {
  readonly figure: Figure
  readonly rows: readonly Row[]
}

const count = (number: number) => number.toLocaleString('en-US')

function renderRow({ id, title }: Figure, { what, measured, target, reached }: Row): string {
  return `| ${id} | ${title}: ${what} | ${measured} | ${target} | ${reached ? 'yes' : '**no**'} |`
}

/** What was measured, with all that the figures depend on. */
export function renderTable(all: readonly Measured[]): string {
  const { servers, postgresServers } = options
  const projects = demoProjects(servers).length
  return [
    '# Bench',
    '',
    `Measured ${new Date().toISOString().slice(0, 10)} on Node ${process.versions.node}, ${availableParallelism()} cores, load by ${loadGenerator}; \`npm run bench\` makes this table anew.`,
    'Every figure is the best of three rounds, in which the contenders took turns. SQLite, WAL, full sync; log level `warn`.',
    `P1 to P7, P12 and P13: the demo's fleet of ${count(servers)} servers in ${count(projects)} projects, in P5 against ${count(smallSize)} servers. P14: 100,000 servers, in Chromium. P16: ${count(postgresServers)} servers on either engine, PostgreSQL without fsync.`,
    '',
    '| # | what | measured | to reach | reached |',
    '|---|---|---|---|---|',
    ...all.flatMap(({ figure, rows }) => rows.map((row) => renderRow(figure, row))),
    '',
  ].join('\n')
}
