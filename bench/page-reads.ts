import type { Benchmark } from './benchmark.ts'
import { openFleet } from './fleet.ts'
import { options } from './options.ts'
import { hotPage, singleServers } from './pages.ts'
import { compareWithBareServer } from './serve.ts'

export const hotPages: Benchmark = {
  id: 'P1',
  title: 'hot page',
  async measure() {
    const fleet = await openFleet(options.servers)
    const server = await fleet.start(18_401)
    const row = await compareWithBareServer('20 full servers', server.url, [hotPage(fleet)], 0.8)
    await server.stop()
    return [row]
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
    const row = await compareWithBareServer('If-None-Match', server.url, [known], 0.6)
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
    const row = await compareWithBareServer('random ids', server.url, singleServers(fleet), 0.5)
    await server.stop()
    return [row]
  },
}
