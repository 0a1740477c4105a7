import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { bestOfRounds, ratioRow, type Figure } from './figure.ts'
import { putUnderLoad } from './load.ts'
import { logIn, removeFolder, startServer, tokenLogin } from './server.ts'

const concurrency = 64
const seconds = 5

/**
 * The grouped-commit limit: the rows of a token login, written durably by the driver alone into the
 * same table, as many to a commit as would be waiting.
 */
function measureCommits(folder: string): number {
  const database = new DatabaseSync(join(folder, 'data', 'muster.db'), { timeout: 5_000 })
  database.exec('pragma synchronous = full')
  const parent = database.prepare('select * from tokens where parent_id is null limit 1').get()
  const columns = Object.keys(parent ?? {})
  const insert = database.prepare(
    `insert into tokens (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`,
  )
  const end = performance.now() + seconds * 1_000
  let count = 0
  while (performance.now() < end) {
    database.exec('begin immediate')
    for (let waiting = 0; waiting < concurrency; waiting += 1) {
      const row = {
        ...parent,
        id: randomBytes(32).toString('base64url'),
        parent_id: parent?.['id'],
        method: 'token',
        generation: 1,
      }
      insert.run(...(Object.values(row) as (string | number | null)[]))
    }
    database.exec('commit')
    count += concurrency
  }
  database.close()
  return count / seconds
}

/** An installation of its own for the driver, with one login in it, so that neither fills the other's. */
async function makeInstallation(): Promise<string> {
  const server = await startServer(18_409)
  await logIn(server.url)
  await server.stop()
  return server.folder
}

export const tokenLogins: Figure = {
  id: 'P9',
  title: 'token by token',
  async measure() {
    const driverFolder = await makeInstallation()
    const server = await startServer(18_409)
    const token = await logIn(server.url)
    const best = await bestOfRounds({
      commits: async () => measureCommits(driverFolder),
      logins: async () => {
        const { perSecond, refused } = await putUnderLoad({
          url: `${server.url}/v3/auth/tokens`,
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: tokenLogin(token),
          connections: concurrency,
          seconds,
        })
        if (refused > 0) throw new Error(`${refused} token logins were refused`)
        return perSecond
      },
    })
    await server.stop()
    removeFolder(server.folder)
    removeFolder(driverFolder)
    return [
      ratioRow(
        `token logins, ${concurrency} at once`,
        'a second',
        best.logins,
        { name: 'grouped-commit limit', value: best.commits },
        0.5,
      ),
    ]
  },
}
