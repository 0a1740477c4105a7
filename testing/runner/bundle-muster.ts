import { existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { bundleServer } from '../../packaging/bundle-server.ts'
import { threadsVariable } from './load-bundled-threads.ts'
import { bundleVariable, repository } from '../../server/src/testing/spawn-muster.ts'

const hour = 3_600_000

/** Not what another run of the tests may use. */
function removeOld(folder: string): void {
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder)) {
    const file = join(folder, name)
    if (Date.now() - statSync(file).mtimeMs > hour) rmSync(file)
  }
}

/**
 * Bundles the server for the processes and the threads that tests start, because a start then takes half
 * of the CPU time of a process, and a third of that of a thread.
 */
export async function bundleMuster(): Promise<void> {
  const folder = join(repository, 'node_modules/.cache/test-bundle')
  removeOld(folder)
  const consoleCode = `export const repository = ${JSON.stringify(repository)}
export const consoleFolder = ${JSON.stringify(join(repository, 'console/dist'))}
`
  await bundleServer(repository, folder, consoleCode)
  process.env[bundleVariable] = join(folder, 'main.mjs')
  process.env[threadsVariable] = folder
}
