import { newId } from '../server/src/domain/new-id.ts'
import { signLikeMuster } from '../server/src/testing/sign-access-key.ts'
import { measureCommits } from './commit-limit.ts'
import { bestOfRounds, ratioRow, type Benchmark, type Row } from './benchmark.ts'
import type { Load } from './load-types.ts'
import { putUnderLoad } from './load.ts'
import {
  accessKeyLogin,
  logIn,
  makeAccessKey,
  removeFolder,
  sendLogin,
  startServer,
  tokenLogin,
  type BenchServer,
} from './server.ts'

const port = 18_409
const concurrency = 64
const seconds = 5

/** A kind of login that needs no password hash. */
interface LoginBenchmark {
  readonly what: string
  /** Prepares a server, logs in once, and returns a function that makes the load. */
  prepare(server: BenchServer): Promise<() => Pick<Load, 'body' | 'bodies'>>
}

/** More logins than any machine completes in a round. */
const preparedLogins = seconds * 20_000

/** A separate database for the driver, with one login in it. */
async function makeInstallation({ prepare }: LoginBenchmark): Promise<string> {
  const server = await startServer(port)
  await prepare(server)
  await server.stop()
  return server.folder
}

/** Compares logins over HTTP with their rows written by the database driver alone. */
async function measureLogins(login: LoginBenchmark): Promise<Row> {
  const driverFolder = await makeInstallation(login)
  const server = await startServer(port)
  const nextLoad = await login.prepare(server)
  const best = await bestOfRounds({
    commits: async () => measureCommits(driverFolder, concurrency, seconds),
    logins: async () => {
      const { perSecond, refused } = await putUnderLoad({
        url: `${server.url}/v3/auth/tokens`,
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        ...nextLoad(),
        connections: concurrency,
        seconds,
      })
      if (refused > 0) throw new Error(`${refused} logins were refused`)
      return perSecond
    },
  })
  await server.stop()
  removeFolder(server.folder)
  removeFolder(driverFolder)
  return ratioRow(
    `${login.what}, ${concurrency} concurrent`,
    'per second',
    best.logins,
    { name: 'group commit limit', value: best.commits },
    0.5,
  )
}

export const tokenLogins: Benchmark = {
  id: 'P9',
  title: 'token login',
  async measure() {
    const row = await measureLogins({
      what: 'token logins',
      async prepare({ url }) {
        const body = tokenLogin(await logIn(url))
        await sendLogin(url, body)
        return () => ({ body })
      },
    })
    return [row]
  },
}

export const accessKeyLogins: Benchmark = {
  id: 'P9',
  title: 'access key login',
  async measure() {
    const row = await measureLogins({
      what: 'signed logins',
      async prepare({ url }) {
        const key = await makeAccessKey(url)
        const { host } = new URL(url)
        const sign = () =>
          accessKeyLogin(signLikeMuster({ ...key, host, now: Date.now(), nonce: newId() }))
        await sendLogin(url, sign())
        // A signature is valid once and for five minutes, so they are made just before the round.
        return () => ({ bodies: Array.from({ length: preparedLogins }, sign) })
      },
    })
    return [row]
  },
}
