import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createApi } from './api.ts'
import { sendChange } from './changes.ts'

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
