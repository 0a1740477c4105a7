import assert from 'node:assert/strict'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { abortOnDisconnect } from './abort-on-disconnect.ts'

test('all queries of a request share one signal, which aborts when the client disconnects', () => {
  const raw = new ServerResponse(new IncomingMessage(new Socket()))
  const signal = abortOnDisconnect({ raw })
  assert.equal(abortOnDisconnect({ raw }), signal)
  assert.equal(raw.listenerCount('close'), 1)
  assert.equal(signal.aborted, false)
  raw.emit('close')
  assert.equal(signal.aborted, true)
})
