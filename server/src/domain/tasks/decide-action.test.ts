import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  serverActions,
  type ErrorClass,
  type Server,
  type ServerAction,
  type TaskParameters,
} from '@muster/contract'
import type { AttachedAccount } from '../sources/account.ts'
import type { ActionSupport, SourceAction } from '../sources/action-port.ts'
import { decideAction, type Situation } from './decide-action.ts'

/** The values of each dimension. Every combination of them is decided. */
const dimensions = {
  account: ['manage', 'observe', 'disabled', 'being deleted', 'gone', 'lost', 'degraded'],
  support: ['all', 'none'],
  status: ['running', 'ready', 'suspend', 'unknown', 'starting', 'start_fail'],
  protection: ['none', 'muster', 'source'],
  isBinned: [false, true],
  isScaled: [false, true],
  isLostOnStop: [false, true],
  hasTask: [false, true],
  isMissing: [false, true],
} as const

type Case = {
  readonly [Name in keyof typeof dimensions]: (typeof dimensions)[Name][number]
} & { readonly isLive: boolean }

/** Parameters that change the decision about an action. */
const parametersOf: Partial<Record<ServerAction, readonly TaskParameters[]>> = {
  stop: [{}, { is_force: true }],
  restart: [{}, { is_force: true }],
  'change-config': [
    { vcpu_count: 4 },
    { vcpu_count: 2 },
    { instance_type: 'large' },
    { vcpu_count: 4, force_stop: true },
  ],
  update: [{ name: 'new' }, { name: 'web' }, { boot_order: 'cdn' }],
  delete: [
    {},
    { is_force: true },
    { override_pending_delete: true },
    { override_pending_delete: true, is_force: true },
    { delete_disks: true },
    { delete_snapshots: true },
  ],
}

const support = (isLive: boolean) =>
  ({
    actions: serverActions.filter((name) => name !== 'purge' && name !== 'cancel-delete'),
    resize: { fields: ['vcpu_count', 'vmem_size'], isLive },
    updates: ['name'],
    deletes: { disks: true, snapshots: false },
  }) as unknown as ActionSupport & { actions: SourceAction[] }

function situationOf(given: Case): Situation {
  const { account } = given
  const metadata = {
    ...(given.protection !== 'none' && { 'sys:protected_by': given.protection }),
    ...(given.isLostOnStop && { 'sys:lost_on_stop': 'It is transient.' }),
  }
  return {
    server: {
      id: 'server',
      name: 'web',
      status: given.status,
      host_service_status: account === 'degraded' ? 'offline' : 'online',
      deleted: false,
      disable_delete: given.protection !== 'none',
      pending_deleted: given.isBinned,
      scaling_group_id: given.isScaled ? 'asg-1' : '',
      vcpu_count: 2,
      metadata,
    } as unknown as Server,
    attached:
      account === 'gone'
        ? undefined
        : ({
            account: {
              name: 'lab',
              enabled: account !== 'disabled',
              access: account === 'observe' ? 'observe' : 'manage',
              isBeingDeleted: account === 'being deleted',
            },
            sync: {
              is_unreachable: account === 'lost',
              warnings: account === 'degraded' ? [{ kind: 'region' }] : [],
            },
          } as unknown as AttachedAccount),
    support: given.support === 'all' ? support(given.isLive) : undefined,
    task: given.hasTask ? { id: 'task', action: 'stop' } : undefined,
    isMissing: given.isMissing,
  }
}

type Expected = 'act' | 'already' | ReadonlySet<ErrorClass>

const refusal = (...classes: readonly ErrorClass[]): Expected => new Set(classes)

/** What the table of actions says: where an action leads to, and from where. */
const powers: Partial<Record<ServerAction, { from: string; to?: string }>> = {
  start: { from: 'ready', to: 'running' },
  stop: { from: 'running unknown', to: 'ready' },
  restart: { from: 'running' },
  reset: { from: 'running' },
  suspend: { from: 'running', to: 'suspend' },
  resume: { from: 'suspend', to: 'running' },
}

/** What holds for every action that the source carries out. */
function accountRefusals(action: ServerAction, given: Case): Set<ErrorClass> {
  const reasons = new Set<ErrorClass>()
  if (['gone', 'being deleted', 'disabled'].includes(given.account)) {
    reasons.add('InvalidStatusError')
  }
  if (given.account === 'observe') reasons.add('AccountReadOnlyError')
  if (given.account === 'lost') reasons.add('ServiceUnavailable')
  if (given.support === 'none') reasons.add('NotSupportedError')
  if (given.hasTask) reasons.add('ConflictError')
  if (given.status === 'starting') reasons.add('InvalidStatusError')
  if (given.isBinned && action !== 'delete') reasons.add('InvalidStatusError')
  return reasons
}

/** The rules of acting, written down a second time. A refusal may have any of the classes that apply. */
function expectedOf(action: ServerAction, params: TaskParameters, given: Case): Expected {
  const { status, isScaled, isLostOnStop } = given
  if (action === 'purge' || action === 'cancel-delete') {
    if (given.hasTask) return refusal('ConflictError')
    const isAllowed =
      action === 'purge'
        ? given.isMissing || given.account === 'gone' || given.account === 'being deleted'
        : given.isBinned
    return isAllowed ? 'act' : refusal('InvalidStatusError')
  }
  const reasons = accountRefusals(action, given)
  if (reasons.size > 0) return reasons
  // Its region does not answer. The other actions contact it first.
  if (given.account === 'degraded' && status === 'unknown') {
    if (!['stop', 'update', 'delete'].includes(action)) return refusal('ServiceUnavailable')
  }
  const isForced = params['is_force'] === true
  const staysPut = isScaled && !isForced
  if (action === 'update') {
    if (params['boot_order'] !== undefined) return refusal('NotSupportedError')
    return params['name'] === 'web' ? 'already' : 'act'
  }
  if (action === 'change-config') {
    if (params['instance_type'] !== undefined) return refusal('NotSupportedError')
    if (params['vcpu_count'] === 2) return 'already'
    if (status === 'ready') return 'act'
    if (status !== 'running') return refusal('InvalidStatusError')
    if (params['force_stop'] === true) return isLostOnStop ? refusal('NotSupportedError') : 'act'
    return given.isLive ? 'act' : refusal('InvalidStatusError')
  }
  if (action === 'delete') {
    const isAtOnce = params['override_pending_delete'] === true
    if (given.isBinned && !isAtOnce) return 'already'
    const against = new Set<ErrorClass>()
    if (given.protection !== 'none') against.add('InvalidStatusError')
    if (params['delete_snapshots'] === true || staysPut) against.add('NotSupportedError')
    // It is stopped first, except for a deletion at once.
    if (isLostOnStop && !isAtOnce && status !== 'ready') against.add('NotSupportedError')
    return against.size > 0 ? against : 'act'
  }
  const { from, to } = powers[action] ?? { from: '' }
  if (status === to) return 'already'
  if (!from.split(' ').includes(status)) return refusal('InvalidStatusError')
  const isStop = action === 'stop' || action === 'restart'
  return isStop && (isLostOnStop || staysPut) ? refusal('NotSupportedError') : 'act'
}

function* everyCase(): Generator<Case> {
  let cases: Record<string, unknown>[] = [{}]
  for (const [name, values] of Object.entries(dimensions)) {
    cases = cases.flatMap((given) => values.map((value) => ({ ...given, [name]: value })))
  }
  for (const given of cases) yield { ...given, isLive: given['isScaled'] === true } as Case
}

describe('whether an action may begin', () => {
  for (const action of serverActions) {
    test(`${action}, in every situation`, () => {
      // Thousands of errors are made: their stacks take most of the time.
      const { stackTraceLimit } = Error
      Error.stackTraceLimit = 0
      for (const given of everyCase()) {
        const situation = situationOf(given)
        for (const params of parametersOf[action] ?? [{}]) {
          const decision = decideAction(action, params, situation)
          const expected = expectedOf(action, params, given)
          const isAsExpected =
            decision.kind === 'refused'
              ? typeof expected !== 'string' && expected.has(decision.error.class)
              : decision.kind === expected
          if (isAsExpected) continue
          Error.stackTraceLimit = stackTraceLimit
          assert.fail(
            `${JSON.stringify({ ...given, ...params })}: ${decision.kind} ${
              decision.kind === 'refused' ? decision.error.message : ''
            }, expected ${typeof expected === 'string' ? expected : [...expected].join(' or ')}`,
          )
        }
      }
      Error.stackTraceLimit = stackTraceLimit
    })
  }

  test('nothing is done with a deleted server', () => {
    for (const given of everyCase()) {
      const situation = situationOf(given)
      const deleted = { ...situation, server: { ...situation.server, deleted: true } }
      for (const action of given.hasTask ? [] : serverActions) {
        assert.equal(decideAction(action, {}, deleted).kind, 'refused')
      }
      if (given.isMissing) break
    }
  })

  test('a server that shows a task is decided by what its source reported', () => {
    const given = { ...[...everyCase()][0], status: 'ready' } as Case
    const { server, ...rest } = situationOf(given)
    const metadata = { 'sys:settled_status': 'ready', 'sys:task_id': 'task' }
    const shown = { ...rest, server: { ...server, status: 'start_start', metadata } }
    assert.equal(decideAction('start', {}, shown).kind, 'act')
    assert.equal(decideAction('stop', {}, shown).kind, 'already')
  })
})

test('a resized server that waits for its confirmation can only get the same size', () => {
  const waiting = 'sync_config'
  const { server, ...rest } = situationOf([...everyCase()][0] as Case)
  const situation = {
    ...rest,
    server: { ...server, status: waiting },
    support: {
      ...support(false),
      resize: { fields: ['vcpu_count'], isLive: false, confirmedStatus: waiting },
    } as unknown as ActionSupport,
  }
  const decide = (action: ServerAction, params = {}) => decideAction(action, params, situation).kind
  assert.equal(decide('change-config', { vcpu_count: 2 }), 'act')
  assert.equal(decide('change-config', { vcpu_count: 4 }), 'refused')
  for (const action of ['start', 'stop', 'restart', 'update'] as const) {
    assert.equal(decide(action), 'refused')
  }
})
