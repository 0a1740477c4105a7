import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { defaultStopTimeout, type ServerAction, type TaskParameters } from '@muster/contract'
import type { ActionSupport } from '../sources/action-port.ts'
import type { ReportedFacts } from '../sources/source.ts'
import { isReached, planSteps, type Step, type Target } from './plan-steps.ts'

/** A step in one line: the call, what the source must show, and how long it is waited for. */
function describeStep({ call, target, within, isOptional, isInvisible, from }: Step): string {
  const { kind, ...details } = call
  const { kind: targetKind, ...shown } = target
  return [
    `${kind} ${JSON.stringify(details)}`,
    `until ${targetKind} ${JSON.stringify(shown)}`,
    ...(within === undefined ? [] : [`within ${within}`]),
    ...(isOptional ? ['optional'] : []),
    ...(isInvisible ? ['invisible'] : []),
    ...(from === undefined ? [] : [`from ${from}`]),
  ].join(' ')
}

interface Case {
  readonly params?: TaskParameters
  readonly support?: object
  readonly status?: string
  readonly notes?: Record<string, string>
  readonly steps: readonly string[]
}

const shutDown = (seconds: number, more = '') =>
  `stop {"isForced":false,"seconds":${seconds}} until status {"status":"ready"} within ${seconds * 1_000}${more}`
const askFirst = shutDown(defaultStopTimeout, ' optional')
const switchOff = 'stop {"isForced":true} until status {"status":"ready"}'
const start = 'start {} until status {"status":"running"}'
const resize = 'resize {"size":{"vcpu_count":4}} until size {"size":{"vcpu_count":4}}'
const remove = (disks: boolean, snapshots: boolean) =>
  `delete {"disks":${disks},"snapshots":${snapshots}} until gone {}`
const confirming = { resize: { confirmedStatus: 'sync_config' } }
const resizeAndWait =
  'resize {"size":{"vcpu_count":4}} until size {"size":{"vcpu_count":4},"statuses":["sync_config","running","ready"]}'
const confirm = (...statuses: string[]) =>
  `confirm-resize {} until size {"size":{"vcpu_count":4},"statuses":${JSON.stringify(statuses)}} from sync_config`
const atOnce = { override_pending_delete: true }
const size = { vcpu_count: 4 }

const cases: Readonly<Record<ServerAction, readonly Case[]>> = {
  start: [{ status: 'ready', steps: [start] }],
  stop: [
    { steps: [shutDown(defaultStopTimeout)] },
    { params: { timeout_secs: 7 }, steps: [shutDown(7)] },
    { params: { timeout_secs: 0 }, steps: [shutDown(0)] },
    { params: { is_force: true }, steps: [askFirst, switchOff] },
    { params: { is_force: true, timeout_secs: 7 }, steps: [shutDown(7, ' optional'), switchOff] },
    { params: { is_force: true, timeout_secs: 0 }, steps: [switchOff] },
    { params: { is_force: true }, support: { switchesOff: true }, steps: [switchOff] },
    { support: { switchesOff: true }, steps: [shutDown(defaultStopTimeout)] },
  ],
  restart: [
    { steps: [shutDown(defaultStopTimeout), start] },
    { params: { is_force: true }, steps: [askFirst, switchOff, start] },
    ...[false, true].map((is_force) => ({
      params: { is_force },
      support: { restarts: true },
      steps: [`restart {"isForced":${is_force}} until status {"status":"running"} invisible`],
    })),
  ],
  reset: [undefined, true, false].map((is_hard) => ({
    params: is_hard === undefined ? {} : { is_hard },
    steps: [`reset {"isHard":${is_hard !== false}} until status {"status":"running"} invisible`],
  })),
  suspend: [{ steps: ['suspend {} until status {"status":"suspend"}'] }],
  resume: [{ status: 'suspend', steps: ['resume {} until status {"status":"running"}'] }],
  'change-config': [
    { params: size, status: 'ready', steps: [resize] },
    { params: size, steps: [askFirst, switchOff, resize, start] },
    { params: size, support: { resize: { isLive: true } }, steps: [resize] },
    {
      params: { ...size, force_stop: true },
      support: { resize: { isLive: true } },
      steps: [askFirst, switchOff, resize, start],
    },
    { params: { ...size, force_stop: true }, status: 'ready', steps: [resize] },
    {
      params: { vmem_size: 8, instance_type: 'large' },
      status: 'ready',
      steps: [
        'resize {"size":{"vmem_size":8,"instance_type":"large"}} until size {"size":{"vmem_size":8,"instance_type":"large"}}',
      ],
    },
    {
      params: size,
      support: confirming,
      status: 'ready',
      steps: [resizeAndWait, confirm('ready')],
    },
    {
      params: size,
      support: confirming,
      steps: [askFirst, switchOff, resizeAndWait, confirm('ready'), start],
    },
    {
      params: size,
      support: { resize: { ...confirming.resize, isLive: true } },
      steps: [resizeAndWait, confirm('running')],
    },
    // Another task has resized it.
    {
      params: { ...size, force_stop: true },
      support: confirming,
      status: 'sync_config',
      steps: [confirm('running', 'ready')],
    },
  ],
  update: [
    {
      params: { name: 'b', disable_delete: false, description: 'not of the source' },
      steps: [
        'update {"changes":{"name":"b","disable_delete":false}} until fields {"changes":{"name":"b","disable_delete":false}}',
      ],
    },
  ],
  delete: [
    { status: 'ready', steps: [] },
    // A server that goes into the recycle bin is stopped, with the usual time.
    { params: { timeout_secs: 7 }, steps: [askFirst, switchOff] },
    { params: atOnce, status: 'ready', steps: [remove(false, false)] },
    { params: atOnce, steps: [switchOff, remove(false, false)] },
    { params: atOnce, support: { deletes: { running: true } }, steps: [remove(false, false)] },
    { params: atOnce, notes: { lost_on_stop: 'It is transient.' }, steps: [remove(false, false)] },
    { params: { ...atOnce, delete_disks: true }, status: 'ready', steps: [remove(true, false)] },
    {
      params: { ...atOnce, delete_snapshots: true },
      status: 'ready',
      steps: [remove(false, true)],
    },
  ],
  'cancel-delete': [{ steps: [] }],
  purge: [{ steps: [] }],
}

describe('the steps of an action', () => {
  for (const [action, ofAction] of Object.entries(cases)) {
    for (const { params = {}, support = {}, status = 'running', notes, steps } of ofAction) {
      const given = JSON.stringify({ ...params, ...support, ...notes })
      test(`${action} of a server that is ${status}, with ${given}`, () => {
        const facts = { status, ...(notes && { notes }) } as ReportedFacts
        const plan = planSteps(action as ServerAction, params, support as ActionSupport, facts)
        assert.deepEqual(plan.map(describeStep), steps)
      })
    }
  }
})

test('what shows that a step is done', () => {
  const facts = (values: object) => ({ status: 'ready', ...values }) as unknown as ReportedFacts
  const statuses = ['running', 'ready']
  const reached: readonly (readonly [Target, ReportedFacts | undefined, boolean])[] = [
    [{ kind: 'gone' }, undefined, true],
    [{ kind: 'gone' }, facts({}), false],
    [{ kind: 'status', status: 'ready' }, undefined, false],
    [{ kind: 'status', status: 'ready' }, facts({}), true],
    [{ kind: 'status', status: 'running' }, facts({}), false],
    [{ kind: 'size', size }, facts({ vcpu_count: 4 }), true],
    [{ kind: 'size', size }, facts({ vcpu_count: 2 }), false],
    [{ kind: 'size', size: { ...size, vmem_size: 8 } }, facts({ vcpu_count: 4 }), false],
    [{ kind: 'size', size, statuses }, facts({ vcpu_count: 4 }), true],
    [{ kind: 'size', size, statuses }, facts({ vcpu_count: 4, status: 'sync_config' }), false],
    [{ kind: 'fields', changes: { name: 'b' } }, facts({ name: 'b' }), true],
    [{ kind: 'fields', changes: { name: 'b' } }, facts({ name: 'a' }), false],
    // Sources leave out what is off.
    [{ kind: 'fields', changes: { disable_delete: false } }, facts({}), true],
    [
      { kind: 'fields', changes: { disable_delete: false } },
      facts({ disable_delete: true }),
      false,
    ],
    [{ kind: 'fields', changes: { disable_delete: true } }, facts({}), false],
  ]
  for (const [target, shown, expected] of reached) {
    assert.equal(isReached(target, shown), expected, JSON.stringify([target, shown]))
  }
})
