import { availableParallelism } from 'node:os'
import { demoProjects } from '../simulator/src/demo/organisation.ts'
import type { Benchmark, Row } from './benchmark.ts'
import { loadGenerator } from './load.ts'
import { options, smallSize } from './options.ts'

export interface Measured {
  readonly benchmark: Benchmark
  readonly rows: readonly Row[]
}

const count = (number: number) => number.toLocaleString('en-US')

function renderRow({ id, title }: Benchmark, { what, measured, target, reached }: Row): string {
  return `| ${id} | ${title}: ${what} | ${measured} | ${target} | ${reached ? 'yes' : '**no**'} |`
}

/** The result table, with the conditions of the measurement. */
export function renderTable(all: readonly Measured[]): string {
  const { servers, postgresServers } = options
  const projects = demoProjects(servers).length
  return [
    '# Benchmark results',
    '',
    `Measured ${new Date().toISOString().slice(0, 10)} on Node ${process.versions.node}, ${availableParallelism()} cores, load generator ${loadGenerator}. \`npm run bench\` writes this table.`,
    'Every value is the best of three rounds. SQLite, WAL, full sync; log level `warn`.',
    `P1 to P7, P12 and P13: the demo's fleet of ${count(servers)} servers in ${count(projects)} projects, in P5 against ${count(smallSize)} servers. P14: 100,000 servers, in Chromium. P16: ${count(postgresServers)} servers on either engine, PostgreSQL with fsync.`,
    '',
    '| # | what | measured | target | met |',
    '|---|---|---|---|---|',
    ...all.flatMap(({ benchmark, rows }) => rows.map((row) => renderRow(benchmark, row))),
    '',
  ].join('\n')
}
