import asyncHooks, { type AsyncHook } from 'node:async_hooks'
import { pathToFileURL } from 'node:url'
import { inspect } from 'node:util'
import { loadBundledThreads } from './load-bundled-threads.ts'
import type { FileMessage, WorkerMessage } from './messages.ts'

// Before the modules of a test file import it.
loadBundledThreads()

/**
 * A process that runs one test file after the other. Loading the server's modules takes longer than
 * most files run, so the files of a worker share them.
 */
const environment = { ...process.env }
const umask = process.umask()

/**
 * Node.js follows every promise with an async hook, to know to which suite a test belongs. Only the
 * calls of `describe` and `test` need that. While the tests run, it takes a third of the CPU time.
 */
let hook: AsyncHook | undefined
const { createHook } = asyncHooks
asyncHooks.createHook = (callbacks) => {
  asyncHooks.createHook = createHook
  return (hook = createHook(callbacks))
}
// Not at the top: it takes the function above when it is loaded.
const { before, describe, mock } = await import('node:test')

/** A file must not see what an earlier one changed. */
function restoreGlobals(): void {
  mock.restoreAll()
  mock.timers.reset()
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name]
  Object.assign(process.env, environment)
  // A Muster that a file starts in this process changes it.
  process.umask(umask)
}

let running = ''
/** Without the hook, Node.js does not know of which test such an error is. */
function reportError(error: unknown): void {
  const title = `${running} › an error outside of a test`
  process.send?.({ kind: 'failed', title, error: inspect(error) } satisfies WorkerMessage)
}
process.on('uncaughtException', reportError).on('unhandledRejection', reportError)

process.on('message', ({ file }: FileMessage) => {
  restoreGlobals()
  running = file
  hook?.enable()
  // A suite of its own, so that hooks at the top of a file are for that file only.
  void describe(file, async () => {
    before(() => hook?.disable())
    await import(pathToFileURL(file).href)
  })
})
// Open handles of a file must not keep the worker alive, also not after a run that was killed.
process.on('disconnect', () => process.exit())
process.send?.({ kind: 'ready' } satisfies WorkerMessage)
