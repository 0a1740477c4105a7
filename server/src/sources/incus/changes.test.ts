import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ActionError } from '../../domain/sources/action-port.ts'
import { createApi } from './api.ts'
import { findWork, sendChange } from './changes.ts'

const address = { url: new URL('https://daemon:8443') }

/** Freezes an instance, whose operation has these statuses. The signal ends at one of these reads. */
async function freeze(statuses: readonly number[], endsAfter: number) {
  const end = new AbortController()
  const answer = (type: string, metadata: object) => ({
    status: 200,
    headers: {},
    body: Buffer.from(JSON.stringify({ type, metadata })),
  })
  let reads = 0
  const client = {
    async send({ method = 'GET' }: { readonly method?: string }) {
      if (method !== 'GET') return answer('async', { id: 'one' })
      const status = statuses[reads]
      reads += 1
      if (reads >= endsAfter) end.abort()
      if (status === undefined) throw new Error('no answer')
      return answer('sync', { status_code: status, err: 'no' })
    },
    close() {},
  }
  const { signal } = end
  const api = createApi(client, address, signal)
  const change = { request: 'freeze', method: 'PUT', project: 'default', name: 'a' } as const
  return await sendChange({ client, api, address, signal }, change)
}

test('an operation of Incus that takes longer than the signal is under way, if it was seen running', async () => {
  assert.equal(await freeze([103, 200], 9), undefined)
  assert.equal(await freeze([103], 1), 'working')
  assert.equal(await freeze([105, 103], 3), 'working')
  await assert.rejects(freeze([103, 400], 9), { kind: 'failed' })
  await assert.rejects(freeze([], 1), { kind: 'outcome-unknown' })
  await assert.rejects(freeze([103], 9), { kind: 'outcome-unknown' })
})

test('the daemon tells whether it works on a request, and why it has failed', async () => {
  const instance = { project: 'default', name: 'a' }
  const operation = (status_code: number, description: string, url = '/1.0/instances/a') => ({
    status_code,
    description,
    err: 'no space left on device',
    resources: { instances: [url] },
  })
  const running = operation(103, 'Freezing instance')
  const failed = operation(400, 'Freezing instance', '/1.0/instances/a?project=default')
  const others = [
    operation(103, 'Executing command'),
    operation(103, 'Freezing instance', '/1.0/instances/ab'),
    operation(400, 'Unfreezing instance'),
    operation(200, 'Freezing instance'),
    {},
  ]
  const find = async (...shown: readonly object[]) => {
    const metadata = { success: [], other: [...others, ...shown] }
    const body = Buffer.from(JSON.stringify({ type: 'sync', metadata }))
    const client = { send: async () => ({ status: 200, headers: {}, body }), close() {} }
    const api = createApi(client, address, new AbortController().signal)
    return await findWork(api, 'freeze', instance)
  }
  assert.equal(await find(), undefined)
  assert.equal(await find(failed, running), 'working')
  const error = await find(failed)
  assert.ok(error instanceof ActionError)
  assert.equal(error.kind, 'quota')
  assert.match(error.message, /no space left on device/)
})
