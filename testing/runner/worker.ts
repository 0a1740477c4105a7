import { describe, mock } from 'node:test'
import { pathToFileURL } from 'node:url'
import { inspect } from 'node:util'
import type { FileMessage, WorkerMessage } from './messages.ts'

/**
 * A process that runs one test file after the other. Loading the server's modules takes longer than
 * most files run, so the files of a worker share them.
 */
const environment = { ...process.env }

/** A file must not see what an earlier one changed. */
function restoreGlobals(): void {
  mock.restoreAll()
  mock.timers.reset()
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name]
  Object.assign(process.env, environment)
}

// Node does not report errors that come after their test has ended, such as those of a timer.
process.on('uncaughtException', (error) => {
  const title = 'an error after its test'
  process.send?.({ kind: 'failed', title, error: inspect(error) } satisfies WorkerMessage)
})

process.on('message', ({ file }: FileMessage) => {
  restoreGlobals()
  // A suite of its own, so that hooks at the top of a file are for that file only.
  void describe(file, async () => {
    await import(pathToFileURL(file).href)
  })
})
process.send?.({ kind: 'ready' } satisfies WorkerMessage)
