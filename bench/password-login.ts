import { hash, verify } from '@node-rs/argon2'
import { bestOfRounds, boundRow, ratioRow, type Benchmark } from './benchmark.ts'
import { putUnderLoad } from './load.ts'
import { logIn, passwordLogin, removeFolder, startServer } from './server.ts'

const concurrency = 16
const seconds = 5

/** The hash limit: verifications alone, with the same parameters and concurrency. */
async function measureHashes(): Promise<number> {
  const stored = await hash('a password', { memoryCost: 19_456, timeCost: 2, parallelism: 1 })
  const end = performance.now() + seconds * 1_000
  let count = 0
  const worker = async () => {
    while (performance.now() < end) {
      await verify(stored, 'a password')
      count += 1
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  return count / seconds
}

export const passwordLogins: Benchmark = {
  id: 'P8',
  title: 'password login',
  async measure() {
    const server = await startServer(18_408)
    const tokens = `${server.url}/v3/auth/tokens`
    const logins = {
      url: tokens,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: passwordLogin,
      connections: concurrency,
      seconds,
    } as const
    const best = await bestOfRounds({
      hashes: measureHashes,
      logins: async () => (await putUnderLoad(logins)).perSecond,
    })

    const token = await logIn(server.url)
    const [, reads] = await Promise.all([
      putUnderLoad(logins),
      putUnderLoad({
        url: `${server.url}/v3/auth/projects`,
        headers: { 'x-auth-token': token },
        connections: 4,
        seconds: seconds - 1,
      }),
    ])
    await server.stop()
    removeFolder(server.folder)
    return [
      ratioRow(
        'password logins',
        'per second',
        best.logins,
        { name: 'hash limit', value: best.hashes },
        0.9,
      ),
      boundRow('p99 of reads while logins saturate', 'ms', reads.p99, 50),
    ]
  },
}
