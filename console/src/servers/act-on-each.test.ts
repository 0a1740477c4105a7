import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ApiError, ConnectionError } from '@muster/sdk'
import { actOnEach, type ActResult } from './act-on-each.ts'

const rows = ['a', 'b', 'c', 'd'].map((id) => ({ id }))
const refusal = (status: 401 | 403) =>
  new ApiError({
    class: status === 401 ? 'UnauthorizedError' : 'ForbiddenError',
    status,
    details: 'no',
    requestId: 'r',
  })

function setUp(act: (id: string, stop: () => void) => Promise<void>) {
  const control = new AbortController()
  const asked: string[] = []
  const results: ActResult[] = []
  const done = actOnEach({
    rows,
    signal: control.signal,
    onResult: (result) => results.push(result),
    async act({ id }) {
      asked.push(id)
      await act(id, () => control.abort())
    },
  })
  return { done, asked, results }
}

describe('acting on several servers', () => {
  it('continues after a rejected or failed request', async () => {
    const { done, results } = setUp(async (id) => {
      if (id === 'b') throw refusal(403)
      if (id === 'c') throw new ConnectionError('gone')
    })
    await done
    assert.deepEqual(
      results.map(({ row, error }) => [row.id, error === undefined]),
      [
        ['a', true],
        ['b', false],
        ['c', false],
        ['d', true],
      ],
    )
  })

  it('stops on abort and sends no further requests', async () => {
    const { done, asked, results } = setUp(async (id, stop) => {
      if (id !== 'b') return
      stop()
      throw new DOMException('stopped', 'AbortError')
    })
    await done
    assert.deepEqual(asked, ['a', 'b'])
    assert.equal(results.length, 1)
  })

  it('stops when the session ends', async () => {
    const { done, asked } = setUp(async (id) => {
      if (id === 'b') throw refusal(401)
    })
    await assert.rejects(done, { status: 401 })
    assert.deepEqual(asked, ['a', 'b'])
  })
})
