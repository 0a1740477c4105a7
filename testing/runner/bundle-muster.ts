import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { bundleServer } from '../../packaging/bundle-server.ts'
import { bundleVariable, repository } from '../../server/src/testing/spawn-muster.ts'

/** Bundles the server for the processes that tests start, because a start then takes half of the CPU time. */
export async function bundleMuster(): Promise<void> {
  const folder = join(repository, 'node_modules/.cache/test-bundle')
  rmSync(folder, { recursive: true, force: true })
  const consoleCode = `export const repository = ${JSON.stringify(repository)}
export const consoleFolder = ${JSON.stringify(join(repository, 'console/dist'))}
`
  await bundleServer(repository, folder, consoleCode)
  process.env[bundleVariable] = join(folder, 'main.mjs')
}
