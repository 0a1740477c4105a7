import type { Benchmark } from './benchmark.ts'
import { openFleet, waitForLoad } from './fleet.ts'
import { options } from './options.ts'
import { hotPage, singleServers, withToken } from './pages.ts'
import { compareWithBareServer, processorRow } from './serve.ts'
import { logIn, removeFolder, startServer } from './server.ts'

export const hotPages: Benchmark = {
  id: 'P1',
  title: 'hot page',
  async measure() {
    const fleet = await openFleet(options.servers)
    const server = await fleet.start(18_401)
    const page = [hotPage(fleet)]
    const rows = [
      await compareWithBareServer('20 full servers', server.url, page, 0.9),
      await processorRow('20 full servers', server, page, 60),
    ]
    await server.stop()
    return rows
  },
}

const demoServers = 100_000

/** The simulated accounts of a demo change some of their servers every few seconds. */
export const hotPageOfChangingFleet: Benchmark = {
  id: 'P1',
  title: 'hot page while servers change',
  async measure() {
    const server = await startServer(18_420, undefined, {
      flags: ['--demo', `--demo-servers=${demoServers}`],
    })
    try {
      await waitForLoad(server.url)
      const token = await logIn(server.url)
      const page = withToken(token, '/servers?details=true&limit=20&scope=system')
      const what = `${demoServers.toLocaleString('en-US')} servers, system scope`
      return [await compareWithBareServer(what, server.url, [page], 0.75)]
    } finally {
      await server.stop()
      removeFolder(server.folder)
    }
  },
}

export const unchangedPages: Benchmark = {
  id: 'P4',
  title: 'hot page, unchanged',
  async measure() {
    const fleet = await openFleet(options.servers)
    const server = await fleet.start(18_404)
    const { path, headers } = hotPage(fleet)
    const plain = { ...headers, 'accept-encoding': 'identity' }
    const { headers: answered } = await fetch(server.url + path, { headers: plain })
    const known = { path, headers: { ...headers, 'if-none-match': answered.get('etag') ?? '' } }
    const row = await compareWithBareServer('If-None-Match', server.url, [known], 0.8)
    await server.stop()
    return [row]
  },
}

export const singleServer: Benchmark = {
  id: 'P3',
  title: 'one server',
  async measure() {
    const fleet = await openFleet(options.servers)
    const server = await fleet.start(18_403)
    const requests = singleServers(fleet)
    const rows = [
      await compareWithBareServer('random ids', server.url, requests, 0.3),
      await processorRow('random ids', server, requests, 90),
    ]
    await server.stop()
    return rows
  },
}
