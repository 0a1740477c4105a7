import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { unavailable } from './errors.ts'
import { NoHost, WrongServer } from './hosts.ts'

const refusal = (code: string) =>
  Object.assign(new pg.DatabaseError('refused', 0, 'error'), { code })

test('the reason of one of several hosts is told', () => {
  const standby = { host: 'b', error: new WrongServer('takes no writes') }
  for (const failures of [
    [{ host: 'a', error: refusal('53300') }, standby],
    [standby, { host: 'a', error: refusal('53300') }],
  ]) {
    assert.equal(unavailable(new NoHost(failures)).message, 'The database has no free connection.')
  }
  assert.equal(unavailable(refusal('53300')).message, 'The database has no free connection.')
  assert.equal(unavailable(new NoHost([standby])).message, 'The database does not respond.')
})

test('an error that is not silence has its own reason', () => {
  const texts = ['53100', '53300', '25006', '55P03'].map(
    (code) => unavailable(refusal(code)).message,
  )
  assert.equal(new Set(texts).size, 4)
  for (const text of texts) assert.doesNotMatch(text, /does not respond/)
  assert.match(unavailable(refusal('55P03')).message, /Another change holds the same data/)
})
