import { existsSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import workerThreads, { type WorkerOptions } from 'node:worker_threads'

/** The environment variable with the folder of the bundled server, where there is one. */
export const threadsVariable = 'TEST_BUNDLED_THREADS'

/**
 * Lets the threads of the server start from the bundle. A thread that loads the modules one by one
 * takes three times the CPU time, and each open database of a test has some.
 */
export function loadBundledThreads(): void {
  const folder = process.env[threadsVariable]
  if (folder === undefined) return
  const findBundled = (file: string | URL) => {
    if (!(file instanceof URL) || file.protocol !== 'file:') return file
    const bundled = join(folder, `${basename(file.pathname, '.ts')}.mjs`)
    return existsSync(bundled) ? pathToFileURL(bundled) : file
  }
  const { Worker } = workerThreads
  workerThreads.Worker = class extends Worker {
    constructor(file: string | URL, options?: WorkerOptions) {
      super(findBundled(file), options)
    }
  }
  syncBuiltinESMExports()
}
