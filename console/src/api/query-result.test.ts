import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ApiError, ConnectionError } from '@muster/sdk'
import { isOwnFailure, viewOf, type QueryResult } from './query-result.ts'

const answered: QueryResult<readonly string[]> = {
  data: [],
  error: null,
  failureReason: null,
  isFetching: false,
  isPlaceholderData: false,
  isFetchedAfterMount: true,
}
const view = (changes: Partial<typeof answered>, isConnected = true) =>
  viewOf({ ...answered, ...changes }, isConnected)
const failure = new ApiError({
  class: 'ServiceUnavailable',
  status: 503,
  details: 'Try again.',
  requestId: 'req-1',
})

describe('the view of a query', () => {
  it('is empty only for a response to this query', () => {
    assert.equal(view({}).kind, 'empty')
    assert.equal(view({ isPlaceholderData: true, isFetching: true }).kind, 'loading')
  })

  it('is not empty while a cached response is being refreshed', () => {
    assert.equal(view({ isFetching: true, isFetchedAfterMount: false }).kind, 'loading')
    assert.equal(view({ isFetching: false, isFetchedAfterMount: false }).kind, 'empty')
    assert.equal(view({ isFetching: true, isFetchedAfterMount: true }).kind, 'empty')
  })

  it('is not empty after a failed refresh, or without a connection', () => {
    assert.deepEqual(view({ error: failure }), { kind: 'failed', error: failure })
    assert.deepEqual(view({ failureReason: failure, isFetching: true }).kind, 'failed')
    assert.equal(view({}, false).kind, 'failed')
  })

  it('keeps showing rows while another query runs, marked as outdated', () => {
    const data = ['web-1']
    const shown = { kind: 'shown', data }
    assert.deepEqual(view({ data }), { ...shown, isOutdated: false })
    const next = view({ data, isPlaceholderData: true, isFetching: true })
    assert.deepEqual(next, { ...shown, isOutdated: true })
  })

  it('keeps showing rows after a failure, marked as outdated', () => {
    const data = ['web-1']
    const shown = { kind: 'shown', data, isOutdated: true }
    for (const isPlaceholderData of [false, true]) {
      assert.deepEqual(view({ data, error: failure, isPlaceholderData }), shown)
      assert.deepEqual(view({ data, failureReason: failure, isPlaceholderData }, false), shown)
    }
    assert.equal(view({ error: failure, isPlaceholderData: true }).kind, 'failed')
  })

  it('is loading until there is a response, and disconnected without a connection', () => {
    const nothing = { data: undefined, isFetching: true, isFetchedAfterMount: false }
    assert.equal(view(nothing).kind, 'loading')
    assert.deepEqual(view({ ...nothing, failureReason: failure }), {
      kind: 'failed',
      error: failure,
    })
    const blamed = view(nothing, false)
    assert.ok(blamed.kind === 'failed' && blamed.error instanceof ConnectionError)
  })
})

describe('a failure of Muster itself', () => {
  it('has the id of its request, unlike that of a proxy or of the network', () => {
    const answer = { class: 'BadGateway', details: '' } as const
    assert.equal(isOwnFailure(failure), true)
    assert.equal(
      isOwnFailure(new ApiError({ ...answer, status: 502, requestId: undefined })),
      false,
    )
    assert.equal(isOwnFailure(new ApiError({ ...answer, status: 400, requestId: 'r' })), false)
    assert.equal(isOwnFailure(new ConnectionError('away')), false)
  })
})
