import { createAsk, median, type Ask } from './ask.ts'
import { bestOfRounds, timesRow, type Figure } from './figure.ts'
import { openFleet } from './fleet.ts'
import { options } from './options.ts'

const port = 18_407
const limit = 20
const longStep = 2_048
const rounds = 3
const pagesPerRound = 100
const deepest = 40_000
/** Pages that are measured at either end, so that in a small fleet they do not meet. */
const spare = (rounds + 1) * pagesPerRound

/** Only ids, so that nothing of the servers on the way is read that is measured later. */
const steps = (size: number) => `/servers?scope=system&field=id&limit=${size}`
const fullPage = (marker: string) =>
  `/servers?scope=system&details=true&limit=${limit}&marker=${marker}`

async function follow(ask: Ask, size: number, marker: string | undefined): Promise<string> {
  const { marker: next } = await ask(
    steps(size) + (marker === undefined ? '' : `&marker=${marker}`),
  )
  if (next === undefined) throw new Error('the fleet ended before the page was reached')
  return next
}

/** The beginnings of pages that follow each other. */
async function collect(ask: Ask, count: number, from?: string): Promise<string[]> {
  const markers: string[] = []
  let marker = from
  while (markers.length < count) {
    marker = await follow(ask, limit, marker)
    markers.push(marker)
  }
  return markers
}

/** The middle time of the next pages, none of which was asked for before. */
const timeNext = (ask: Ask, markers: string[]) => async () => {
  const times: number[] = []
  for (const marker of markers.splice(0, pagesPerRound)) {
    times.push((await ask(fullPage(marker))).time)
  }
  return median(times)
}

export const deepPages: Figure = {
  id: 'P7',
  title: 'deep pages by marker',
  async measure() {
    const fleet = await openFleet(options.servers)
    const server = await fleet.start(port)
    const ask = createAsk(server.url, fleet.systemToken)
    const depth = Math.min(deepest, Math.floor((fleet.size * 0.9) / limit) - spare)
    if (depth < spare) throw new Error('such a fleet is too small to be deep')
    const near = await collect(ask, spare)
    let marker: string | undefined
    for (let passed = 0; passed < depth * limit; passed += longStep) {
      marker = await follow(ask, longStep, marker)
    }
    const deep = await collect(ask, rounds * pagesPerRound, marker)
    // Code is slow at first: one round is for nothing else.
    await timeNext(ask, near)()
    const best = await bestOfRounds(
      { near: timeNext(ask, near), deep: timeNext(ask, deep) },
      Math.min,
    )
    await server.stop()
    const where = `page ${depth.toLocaleString('en-US')} and on, p50`
    return [timesRow(where, best.deep, { name: 'of the first pages', value: best.near }, 1.3)]
  },
}
