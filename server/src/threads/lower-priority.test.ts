import assert from 'node:assert/strict'
import { once } from 'node:events'
import { getPriority } from 'node:os'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'

const code = (url: string) => `
  import { readlinkSync } from 'node:fs'
  import { getPriority } from 'node:os'
  import { basename } from 'node:path'
  import { parentPort } from 'node:worker_threads'
  import { lowerPriority } from '${url}'
  lowerPriority()
  parentPort.postMessage(getPriority(Number(basename(readlinkSync('/proc/thread-self')))))
`

test('a thread lowers its own priority only', { skip: process.platform !== 'linux' }, async (t) => {
  const url = new URL('./lower-priority.ts', import.meta.url).href
  const before = getPriority()
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code(url))}`))
  t.after(() => worker.terminate())
  const [priority] = (await once(worker, 'message')) as [number]
  assert.ok(priority > before, String(priority))
  assert.equal(getPriority(), before)
})
