import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Exchange, SourceServer } from './back-end.ts'
import {
  checkAccount,
  checkNotes,
  checkSentOnce,
  checkServers,
  checkTask,
  type ShownServer,
  type TaskResult,
} from './invariants.ts'

const count = (found: readonly string[], expected: number) =>
  assert.equal(found.length, expected, found.join('; '))

describe('the invariants of the fault matrix', () => {
  test('a: a changing request is repeated only after an answer that nothing was done', () => {
    const send = (status: number | undefined, content = 'i-1', changes = true): Exchange => ({
      call: { name: 'StopInstances', changes, content },
      isDelivered: status !== undefined,
      status,
    })
    for (const first of [undefined, 200, 400, 401, 409, 429, 500, 503]) {
      const mayRepeat = first === 401 || first === 409 || first === 429
      count(checkSentOnce([send(first), send(200)]), mayRepeat ? 0 : 1)
      count(checkSentOnce([send(first), send(200, 'i-2')]), 0)
      count(checkSentOnce([send(first, 'i-1', false), send(200, 'i-1', false)]), 0)
    }
  })

  const source: SourceServer = { name: 'web', status: 'ready', size: '' }
  const result: TaskResult = {
    task: { status: 'succeeded', error: '' },
    fault: '500',
    isReached: true,
    source,
    server: { status: 'ready' },
    isChangeLost: false,
  }
  const failed = { status: 'failed', error: 'EC2 answered StopInstances with 500.' } as const
  const violations: readonly (readonly [string, Partial<TaskResult>, number])[] = [
    ['a true success', {}, 0],
    ['a success that the source does not show', { isReached: false }, 1],
    [
      'a restart that succeeded without its request',
      { isReached: undefined, isChangeLost: true },
      1,
    ],
    [
      'an end by the time limit of the task',
      { task: { status: 'unknown', error: 'It took too long.', error_class: 'time_limit' } },
      1,
    ],
    [
      'an unknown end after an error of the source',
      {
        task: { status: 'unknown', error: 'EC2 answered 500.' },
        isReached: false,
        isChangeLost: true,
        isVisible: true,
      },
      1,
    ],
    ['a success with an error', { task: { status: 'succeeded', error: 'x' } }, 1],
    ['a task without an end', { task: { status: 'running', error: '' } }, 1],
    [
      'a task of a server that changes',
      { task: { status: 'running', error: '' }, source: { ...source, status: 'stopping' } },
      0,
    ],
    ['another status than that of the source', { server: { status: 'stop_fail' } }, 1],
    ['a server that is gone at the source', { source: undefined }, 1],
    ['a true failure', { task: failed, isReached: false, isChangeLost: true }, 0],
    ['a failure although it was done', { task: failed }, 1],
    ['a failure without an error', { task: { status: 'failed', error: '' }, isReached: false }, 1],
    ['an unknown end without an error', { task: { status: 'unknown', error: '' } }, 1],
    [
      'a failure that does not name the answer',
      { task: { ...failed, error: 'It failed.' }, isReached: false, isChangeLost: true },
      1,
    ],
    [
      'a failure that blames the guest',
      {
        task: { ...failed, error: 'The guest did not stop. 500' },
        isReached: false,
        isChangeLost: true,
      },
      1,
    ],
  ]
  for (const [what, changes, expected] of violations) {
    test(`b: ${what} is ${expected === 0 ? 'right' : 'wrong'}`, () =>
      count(checkTask({ ...result, ...changes }), expected))
  }

  const web: ShownServer = {
    id: '1',
    external_id: 'i-1',
    name: 'web',
    project_id: 'p',
    region: 'eu-west-1',
    description: 'mine',
    disable_delete: true,
    metadata: { 'user:owner': 'me' },
  }
  const before = { servers: [web] }
  const real = new Map([['i-1', source]])
  test('c: servers are there once, with the same id, name, project and region', () => {
    count(checkServers(before, before, real), 0)
    count(checkServers(before, { servers: [] }, real), 1)
    count(checkServers(before, { servers: [] }, new Map()), 0)
    count(checkServers(before, before, new Map()), 1)
    count(checkServers(before, { servers: [web, { ...web, id: 'other' }] }, real), 1)
    for (const change of [
      { id: 'other' },
      { name: 'other' },
      { project_id: 'other' },
      { region: 'other' },
    ]) {
      count(checkServers(before, { servers: [{ ...web, ...change }] }, real), 1)
    }
  })

  test('d: what users wrote is as before', () => {
    const after = (change: Partial<ShownServer>) => ({ servers: [{ ...web, ...change }] })
    count(checkNotes(before, after({ region: 'other' })), 0)
    count(checkNotes(before, after({ metadata: { 'user:owner': 'me', 'sys:x': '1' } })), 0)
    count(checkNotes(before, after({ description: 'other' })), 1)
    count(checkNotes(before, after({ disable_delete: !web.disable_delete })), 1)
    count(checkNotes(before, after({ metadata: {} })), 1)
  })

  test('e: the account names the fault and its region', () => {
    const account = (status: string, text = '') => ({
      status,
      sync: { error: text, warnings: [] },
    })
    const inRegion = { place: 'eu-west-1', isAlone: true, isShort: false }
    const everywhere = { place: undefined, isAlone: false, isShort: false }
    const short = { ...everywhere, isShort: true }
    count(checkAccount(account('connected'), short), 1)
    count(checkAccount(account('connected', 'The list was incomplete.'), short), 0)
    count(checkAccount(account('connected'), everywhere), 1)
    count(checkAccount(account('disconnected'), everywhere), 1)
    count(checkAccount(account('connected', 'EC2 answered 500.'), everywhere), 1)
    count(checkAccount(account('disconnected', 'EC2 answered 500.'), everywhere), 0)
    count(checkAccount(account('degraded', 'eu-west-1: 500'), inRegion), 0)
    count(checkAccount(account('degraded', 'EC2 answered 500.'), inRegion), 1)
    count(checkAccount(account('disconnected', 'eu-west-1: 500'), inRegion), 1)
  })
})
