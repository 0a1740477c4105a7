import { connect } from 'node:net'
import { createTimedGet, median, type TimedGet } from './timed-client.ts'
import { timesRow, type Benchmark } from './benchmark.ts'
import { openFleet } from './fleet.ts'
import { options } from './options.ts'

const port = 18_408
const requests = 60
const hangUpAfter = 1_500
/** The maximum number of such terms in a query. */
const terms = Array.from({ length: 20 }, (_, at) => `-tag:k${at}`).join(' ')

/** Sends many expensive searches at once and disconnects without waiting for responses. */
async function flood(token: string): Promise<void> {
  const sockets = Array.from({ length: requests }, (_, at) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    const query = encodeURIComponent(`${terms} mem>=${at}`)
    socket.write(
      `GET /servers?scope=system&q=${query} HTTP/1.1\r\nHost: localhost\r\nX-Auth-Token: ${token}\r\n\r\n`,
    )
    return socket.resume()
  })
  await new Promise((resolve) => setTimeout(resolve, hangUpAfter))
  for (const socket of sockets) socket.destroy()
}

/** Each search differs, so that no result is cached. */
let asked = 0
async function search(timedGet: TimedGet): Promise<number> {
  asked += 1
  const query = encodeURIComponent(`web status:running mem>=${asked}`)
  return (await timedGet(`/servers?q=${query}`)).time
}

export const searchDuringFlood: Benchmark = {
  id: 'P6',
  title: 'a search while another user floods',
  async measure() {
    const fleet = await openFleet(options.servers)
    const server = await fleet.start(port)
    const [largest] = fleet.projects.toSorted((a, b) => b.servers - a.servers)
    const timedGet = createTimedGet(server.url, largest?.token ?? '')
    for (let count = 0; count < 5; count += 1) await search(timedGet)
    const alone: number[] = []
    for (let count = 0; count < 30; count += 1) alone.push(await search(timedGet))
    const during: number[] = []
    const flooded = flood(fleet.systemToken)
    const end = performance.now() + hangUpAfter
    while (performance.now() < end) during.push(await search(timedGet))
    await flooded
    await server.stop()
    const other = { name: 'without them', value: median(alone) }
    return [
      timesRow(`p50 of searches while ${requests} of another user wait`, median(during), other, 5),
    ]
  },
}
