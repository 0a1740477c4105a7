import { parseArgs } from 'node:util'

/** The fleet that the large one is held against; no fleet is smaller. */
export const smallSize = 1_000

/**
 * `npm run bench -- --servers 100000 P1 P2`: how many servers, and which figures; all of them unless
 * some are named.
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
  /** Fewer: they are loaded anew in each run. */
  postgresServers: readSize('postgres-servers', 'BENCH_POSTGRES_SERVERS', 100_000),
  wanted: positionals,
}
