import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createSentQueries } from './sent-queries.ts'

describe('a query in the address', () => {
  function setUp() {
    let now = 0
    const pass = (ms: number) => {
      now += ms
    }
    return { ...createSentQueries('', () => now), pass }
  }

  it('is own if it was typed here, even if more has been typed since', () => {
    const { send, isOwn } = setUp()
    assert.equal(send('w'), true)
    assert.equal(send('we'), true)
    assert.equal(isOwn('w'), true)
    assert.equal(send('web'), true)
    assert.equal(isOwn('we'), true)
    assert.equal(isOwn('web'), true)
  })

  it('is own if a letter was typed, deleted and typed again', () => {
    const { send, isOwn } = setUp()
    for (const q of ['a', 'ab', 'a']) send(q)
    for (const q of ['a', 'ab', 'a']) assert.equal(isOwn(q), true)
  })

  it('is foreign if it comes from a filter group, a view or the back button', () => {
    const { send, isOwn } = setUp()
    send('web')
    assert.equal(isOwn('web'), true)
    assert.equal(isOwn('web status:ready'), false)
    assert.equal(isOwn('web status:ready'), true)
    assert.equal(isOwn('web'), false)
  })

  it('is foreign if it was typed long ago', () => {
    const { send, isOwn, pass } = setUp()
    send('w')
    send('we')
    pass(2_000)
    assert.equal(isOwn('w'), false)
  })

  it('is sent once', () => {
    const { send } = setUp()
    assert.deepEqual([send('a'), send('a')], [true, false])
  })
})
