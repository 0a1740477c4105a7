import { createTimedGet, median, type TimedGet } from './timed-client.ts'
import { bestOfRounds, timesRow, type Benchmark } from './benchmark.ts'
import { openFleet } from './fleet.ts'
import { options } from './options.ts'

const port = 18_407
const limit = 20
const longStep = 2_048
const rounds = 3
const pagesPerRound = 100
const deepest = 40_000
/** Number of pages measured at either end; in a small fleet they must not overlap. */
const spare = (rounds + 1) * pagesPerRound

/** Only ids, so that the way to the deep pages does not load servers that are measured later. */
const steps = (size: number) => `/servers?scope=system&field=id&limit=${size}`
const fullPage = (marker: string) =>
  `/servers?scope=system&details=true&limit=${limit}&marker=${marker}`

async function follow(
  timedGet: TimedGet,
  size: number,
  marker: string | undefined,
): Promise<string> {
  const { marker: next } = await timedGet(
    steps(size) + (marker === undefined ? '' : `&marker=${marker}`),
  )
  if (next === undefined) throw new Error('the fleet ended before the page was reached')
  return next
}

/** The markers of consecutive pages. */
async function collect(timedGet: TimedGet, count: number, from?: string): Promise<string[]> {
  const markers: string[] = []
  let marker = from
  while (markers.length < count) {
    marker = await follow(timedGet, limit, marker)
    markers.push(marker)
  }
  return markers
}

/** The median time of the next pages, none of which was requested before. */
const timeNext = (timedGet: TimedGet, markers: string[]) => async () => {
  const times: number[] = []
  for (const marker of markers.splice(0, pagesPerRound)) {
    times.push((await timedGet(fullPage(marker))).time)
  }
  return median(times)
}

export const deepPages: Benchmark = {
  id: 'P7',
  title: 'deep pages by marker',
  async measure() {
    const fleet = await openFleet(options.servers)
    const server = await fleet.start(port)
    const timedGet = createTimedGet(server.url, fleet.systemToken)
    const depth = Math.min(deepest, Math.floor((fleet.size * 0.9) / limit) - spare)
    if (depth < spare) throw new Error('such a fleet is too small to be deep')
    const near = await collect(timedGet, spare)
    let marker: string | undefined
    for (let passed = 0; passed < depth * limit; passed += longStep) {
      marker = await follow(timedGet, longStep, marker)
    }
    const deep = await collect(timedGet, rounds * pagesPerRound, marker)
    // The first round warms up the code.
    await timeNext(timedGet, near)()
    const best = await bestOfRounds(
      { near: timeNext(timedGet, near), deep: timeNext(timedGet, deep) },
      Math.min,
    )
    await server.stop()
    const where = `page ${depth.toLocaleString('en-US')} and on, p50`
    return [timesRow(where, best.deep, { name: 'of the first pages', value: best.near }, 1.3)]
  },
}
