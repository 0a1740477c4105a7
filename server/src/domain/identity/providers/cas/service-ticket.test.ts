import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isServiceTicket } from './cas-driver.ts'

test('SEC-41 a service ticket is ST- and plain characters, 255 at most', () => {
  const good = ['ST-1', 'ST-1856339-aA5Yuvrxzpv8Tau1cYQ7', 'ST-a.b_c-d', `ST-${'x'.repeat(252)}`]
  for (const ticket of good) assert.ok(isServiceTicket(ticket), ticket)
})

test('SEC-41 anything else is none', () => {
  const bad = [
    '',
    'ST-',
    'ST',
    'st-1',
    'PT-1',
    'PGT-1',
    ' ST-1',
    'ST-1 ',
    'ST-1\n',
    'ST-1\r\nHost: elsewhere',
    'ST-1\0',
    'ST-1&service=https://evil',
    'ST-1%26service=x',
    'ST-1#x',
    'ST-1?x',
    'ST-1/../x',
    'ST-1;x',
    'ST-1+x',
    'ST-ä',
    'ST-１',
    `ST-${'x'.repeat(253)}`,
  ]
  for (const ticket of bad) assert.ok(!isServiceTicket(ticket), JSON.stringify(ticket))
})
