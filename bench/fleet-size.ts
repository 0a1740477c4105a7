import { prepareReadServers } from './cold-pages.ts'
import { bestOfRounds, timesRow, type Benchmark } from './benchmark.ts'
import { openFleet } from './fleet.ts'
import { options, smallSize } from './options.ts'
import { hotPage, singleServers } from './pages.ts'
import { serve } from './serve.ts'

/** Serves a fleet and measures the median time of each kind of request. */
async function open(size: number, port: number) {
  const fleet = await openFleet(size)
  const server = await fleet.start(port)
  const serveNextPages = await prepareReadServers(fleet, server.url)
  return {
    hot: async () => (await serve(server.url, [hotPage(fleet)])).p50,
    cold: async () => (await serveNextPages()).p50,
    single: async () => (await serve(server.url, singleServers(fleet))).p50,
    stop: server.stop,
  }
}

export const fleetSize: Benchmark = {
  id: 'P5',
  title: 'large fleet compared with a small one',
  async measure() {
    const large = await open(options.servers, 18_405)
    const small = await open(smallSize, 18_415)
    const compare = async (what: string, kind: 'hot' | 'cold' | 'single') => {
      const best = await bestOfRounds({ small: small[kind], large: large[kind] }, Math.min)
      const sizes = `${smallSize.toLocaleString('en-US')} servers`
      return timesRow(
        `p50 of ${what}`,
        best.large,
        { name: `with ${sizes}`, value: best.small },
        1.3,
      )
    }
    const rows = [
      await compare('the hot page', 'hot'),
      await compare('cold pages of servers read before', 'cold'),
      await compare('one server', 'single'),
    ]
    await large.stop()
    await small.stop()
    return rows
  },
}
