import assert from 'node:assert/strict'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { temporaryFolder } from '../testing/spawn-muster.ts'

/**
 * Two threads that start at the same time, like two processes on one machine, many times: each waits for the
 * other, then both create the missing key.
 */
const racer = `
  import { parentPort, workerData } from 'node:worker_threads'
  const { loadSecretKey } = await import(workerData.module)
  const arrived = new Int32Array(workerData.arrived)
  const end = performance.now() + 20_000
  const outcomes = workerData.files.map((file, round) => {
    Atomics.add(arrived, round, 1)
    while (Atomics.load(arrived, round) < 2 && performance.now() < end) {}
    try {
      return loadSecretKey(file).fingerprint
    } catch (error) {
      return error.message
    }
  })
  parentPort.postMessage(outcomes)
`

const isFingerprint = /^[\w-]{43}$/

describe('a secret key that two processes want at their first start', () => {
  test('is made by one of them and taken by the other', async (t) => {
    const folder = temporaryFolder(t)
    const files = Array.from({ length: 200 }, (_, round) => join(folder, `${round}.key`))
    const workerData = {
      files,
      module: new URL('./secret-key.ts', import.meta.url).href,
      arrived: new SharedArrayBuffer(4 * files.length),
    }
    const outcomes = await Promise.all(
      [1, 2].map(async () => {
        const source = new URL(`data:text/javascript,${encodeURIComponent(racer)}`)
        const [fingerprints] = await once(new Worker(source, { workerData }), 'message')
        return fingerprints as string[]
      }),
    )
    const [ones = [], others = []] = outcomes
    assert.equal(ones.length, files.length)
    const agreed = ones.filter((one, round) => isFingerprint.test(one) && one === others[round])
    const firstQuarrel = ones.findIndex((one, round) => one !== others[round])
    assert.equal(
      agreed.length,
      files.length,
      `such as: ${ones[firstQuarrel]} and ${others[firstQuarrel]}`,
    )
  })
})
