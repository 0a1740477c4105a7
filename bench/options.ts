import { parseArgs } from 'node:util'

/** The size of the small fleet that the large one is compared with; also the minimum. */
export const smallSize = 1_000

/**
 * `npm run bench -- --servers 100000 P1 P2`: the number of servers, and which benchmarks to
 * run. Without names, all run.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { servers: { type: 'string' }, 'postgres-servers': { type: 'string' } },
})

function readSize(flag: keyof typeof values, variable: string, usual: number): number {
  const size = Number(values[flag] ?? process.env[variable] ?? usual)
  if (!Number.isSafeInteger(size) || size < smallSize) {
    throw new Error(`--${flag} must be a number from ${smallSize} on`)
  }
  return size
}

export const options = {
  servers: readSize('servers', 'BENCH_SERVERS', 1_000_000),
  /** Fewer, because they are loaded again in each run. */
  postgresServers: readSize('postgres-servers', 'BENCH_POSTGRES_SERVERS', 100_000),
  wanted: positionals,
}
