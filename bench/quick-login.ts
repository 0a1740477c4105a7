import { measureCommits } from './commit-limit.ts'
import { bestOfRounds, ratioRow, type Row } from './figure.ts'
import type { Load } from './load-shapes.ts'
import { putUnderLoad } from './load.ts'
import { removeFolder, startServer, type BenchServer } from './server.ts'

const port = 18_409
const concurrency = 64
const seconds = 5

/** A login without a password's hash, as a figure wants it measured. */
interface QuickLogin {
  readonly what: string
  /** Prepares a server, does one such login, and returns what loads it with more of them. */
  prepare(server: BenchServer): Promise<() => Pick<Load, 'body' | 'bodies'>>
}

/** At most so many logins a second are prepared for: more than any machine of ours does. */
export const preparedLogins = seconds * 20_000

/** An installation of its own for the driver, with one login in it, so that neither fills the other's. */
async function makeInstallation({ prepare }: QuickLogin): Promise<string> {
  const server = await startServer(port)
  await prepare(server)
  await server.stop()
  return server.folder
}

/** Logins over HTTP beside their rows written by the driver alone. */
export async function measureQuickLogin(login: QuickLogin): Promise<Row> {
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
    `${login.what}, ${concurrency} at once`,
    'a second',
    best.logins,
    { name: 'grouped-commit limit', value: best.commits },
    0.5,
  )
}
