import { setTimeout as pause } from 'node:timers/promises'
import { bestOfRounds, boundRow, ratioRow, type Benchmark, type Row } from './benchmark.ts'
import { openFleet, type Fleet } from './fleet.ts'
import { options } from './options.ts'
import { disjointPages, singleServers } from './pages.ts'
import { anonymousMemory, removeFolder, startServer } from './server.ts'
import { serve } from './serve.ts'

const megabyte = 1_000_000
const settling = 3_000

const sizeOf = ({ size }: Fleet) => `${size.toLocaleString('en-US')} servers`

export const startupTime: Benchmark = {
  id: 'P12',
  title: 'startup time',
  async measure() {
    const time = async (folder?: string) => {
      const server = await startServer(18_412, folder)
      await server.stop()
      if (folder === undefined) removeFolder(server.folder)
      return server.timeToFirstResponse
    }
    const { folder, stop } = await startServer(18_412)
    await stop()
    const best = await bestOfRounds({ first: () => time(), again: () => time(folder) }, Math.min)
    removeFolder(folder)
    const fleet = await openFleet(options.servers)
    const filled = await bestOfRounds(
      {
        async start() {
          const server = await fleet.start(18_412)
          await server.stop()
          return server.timeToFirstResponse
        },
      },
      Math.min,
    )
    return [
      boundRow('first start, with a new database', 'ms', best.first, 1_000),
      boundRow('start on an empty installation', 'ms', best.again, 1_000),
      boundRow(`start with ${sizeOf(fleet)}`, 'ms', filled.start, 2_000),
    ]
  },
}

export const idleMemory: Benchmark = {
  id: 'P13',
  title: 'memory',
  async measure() {
    const server = await startServer(18_413)
    await pause(settling)
    const bytes = anonymousMemory(server.pid)
    await server.stop()
    removeFolder(server.folder)
    return [boundRow('empty database', 'MB', bytes / megabyte, 120), ...(await inUse())]
  },
}

/** With a fleet, before any request and after many, when the caches are full. */
async function inUse(): Promise<Row[]> {
  const fleet = await openFleet(options.servers)
  const server = await fleet.start(18_413)
  await pause(settling)
  const before = anonymousMemory(server.pid)
  await serve(server.url, disjointPages(fleet.projects))
  await serve(server.url, singleServers(fleet))
  await pause(settling)
  const after = anonymousMemory(server.pid)
  await server.stop()
  const what = sizeOf(fleet)
  const { load } = fleet
  return [
    ratioRow(
      `the last tenth of ${what} is loaded`,
      'per second',
      load.lastRate,
      { name: 'rate of the first', value: load.firstRate },
      0.8,
    ),
    boundRow(`peak while ${what} are loaded`, 'MB', load.peakBytes / megabyte, 450),
    boundRow(`two minutes after ${what} were loaded`, 'MB', load.settledBytes / megabyte, 300),
    boundRow(what, 'MB', before / megabyte, 300),
    boundRow(`${what}, after many requests`, 'MB', after / megabyte, 300),
  ]
}
