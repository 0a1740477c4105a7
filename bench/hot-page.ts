import type { Figure } from './figure.ts'
import { openFleet } from './fleet.ts'
import { options } from './options.ts'
import { hotPage } from './pages.ts'
import { besideBytes } from './serving.ts'

export const hotPages: Figure = {
  id: 'P1',
  title: 'hot page',
  async measure() {
    const fleet = await openFleet(options.servers)
    const server = await fleet.start(18_401)
    const row = await besideBytes('20 full servers', server.url, [hotPage(fleet)], 0.8)
    await server.stop()
    return [row]
  },
}

export const unchangedPages: Figure = {
  id: 'P4',
  title: 'hot page, known to the client',
  async measure() {
    const fleet = await openFleet(options.servers)
    const server = await fleet.start(18_404)
    const { path, headers } = hotPage(fleet)
    const plain = { ...headers, 'accept-encoding': 'identity' }
    const { headers: answered } = await fetch(server.url + path, { headers: plain })
    const known = { path, headers: { ...headers, 'if-none-match': answered.get('etag') ?? '' } }
    const row = await besideBytes('If-None-Match', server.url, [known], 0.6)
    await server.stop()
    return [row]
  },
}
