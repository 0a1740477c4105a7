import type { Figure } from './figure.ts'
import { openFleet } from './fleet.ts'
import { options } from './options.ts'
import { singleServers } from './pages.ts'
import { besideBytes } from './serving.ts'

export const singleServer: Figure = {
  id: 'P3',
  title: 'one server',
  async measure() {
    const fleet = await openFleet(options.servers)
    const server = await fleet.start(18_403)
    const row = await besideBytes('random ids', server.url, singleServers(fleet), 0.5)
    await server.stop()
    return [row]
  },
}
