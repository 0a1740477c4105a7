import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { sourceEntry, spawnProcess, temporaryFolder } from '../testing/spawn-muster.ts'

/** Prints the address of every module of the simulator that a process loads, in any of its threads. */
const printLoaded = `data:text/javascript,${encodeURIComponent(`
  import { writeSync } from 'node:fs'
  import { registerHooks } from 'node:module'
  registerHooks({
    load(url, context, next) {
      if (url.includes('/simulator/')) writeSync(2, 'loads ' + url + '\\n')
      return next(url, context)
    },
  })
`)}`

async function startMuster(t: TestContext, flags: readonly string[]) {
  const muster = spawnProcess(t, {
    command: [process.execPath, '--import', printLoaded, sourceEntry, 'serve'],
    flags: ['--port=0', `--data-dir=${temporaryFolder(t)}/data`, ...flags],
  })
  await muster.printed("-d '{")
  return muster
}

test('the simulator is loaded only for a demo', async (t) => {
  const demo = await startMuster(t, ['--demo', '--demo-servers=5'])
  await demo.printed('List servers as')
  assert.match((await demo.end('SIGINT')).stderr, /loads .*start-demo\.ts/)

  const plain = await startMuster(t, [])
  assert.doesNotMatch((await plain.end('SIGINT')).stderr, /loads /)
})
