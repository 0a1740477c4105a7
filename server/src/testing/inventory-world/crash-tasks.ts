import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { EventDto, Server, Task } from '@muster/contract'
import { ask } from '../client.ts'
import type { ActingEc2, Change, Manner } from '../acting-ec2.ts'
import { domainStates, type ActingLibvirt } from '../acting-libvirt.ts'
import type { FakeEc2 } from '../fake-ec2.ts'
import { domain, uuidOf } from '../fake-libvirt-connection.ts'
import type { Muster } from '../spawn-muster.ts'
import type { Operator } from './operate-muster.ts'

/** One action of the crash test, on a server of its own. */
export interface Planned {
  readonly name: string
  readonly serverId: string
  readonly externalId: string
  readonly request: ActionRequest
  readonly key: string
  /** Whether the fake source always carries out requests. */
  readonly isHonest: boolean
  /** Whether the server changes by itself. */
  readonly mayDrift: boolean
  taskId?: string
}

interface ActionRequest {
  readonly method?: string
  readonly path: string
  readonly body?: object
  /** What the stand-in shows before; then what shows the success. */
  readonly from: 'running' | 'stopped' | 'suspended'
  readonly to?: { readonly state?: string | number; readonly type?: string }
}

const largeType = 'm5.large'
const ec2Requests: readonly ActionRequest[] = [
  { path: '/start', from: 'stopped', to: { state: 'running' } },
  { path: '/stop', from: 'running', to: { state: 'stopped' } },
  { path: '/restart', from: 'running' },
  { path: '/change-config', body: { instance_type: largeType }, from: 'stopped' },
  {
    path: '/change-config',
    body: { instance_type: largeType, force_stop: true },
    from: 'running',
    to: { state: 'running', type: largeType },
  },
  {
    method: 'DELETE',
    path: '?override_pending_delete=true',
    from: 'running',
    to: { state: 'terminated' },
  },
  { method: 'DELETE', path: '', from: 'running', to: { state: 'stopped' } },
]

const libvirtRequests: readonly ActionRequest[] = [
  { path: '/start', from: 'stopped', to: { state: domainStates.running } },
  { path: '/stop', from: 'running', to: { state: domainStates.off } },
  { path: '/restart', from: 'running', to: { state: domainStates.running } },
  { path: '/suspend', from: 'running', to: { state: domainStates.paused } },
  { path: '/reset', from: 'running', to: { state: domainStates.running } },
  { path: '/resume', from: 'suspended', to: { state: domainStates.running } },
  { method: 'DELETE', path: '', from: 'running', to: { state: domainStates.off } },
  {
    method: 'DELETE',
    path: '?override_pending_delete=true',
    from: 'stopped',
    to: { state: domainStates.gone },
  },
]

const stateBefore = {
  running: domainStates.running,
  stopped: domainStates.off,
  suspended: domainStates.paused,
}

/** Domains for as many actions. */
export const domainsFor = (count: number) =>
  Array.from({ length: count }, (_, number) =>
    domain(number, { state: stateBefore[requestAt(libvirtRequests, number).from] }),
  )

const simulatorRequests: readonly ActionRequest[] = [
  { path: '/start', from: 'stopped' },
  { path: '/stop', from: 'running' },
  { path: '/restart', from: 'running' },
  { path: '/reset', from: 'running' },
  { path: '/suspend', from: 'running' },
  { path: '/change-config', body: { vcpu_count: 31 }, from: 'running' },
  { method: 'PUT', path: '', body: { name: 'renamed' }, from: 'stopped' },
  { method: 'DELETE', path: '?override_pending_delete=true', from: 'stopped' },
]

/** Every tenth instance is not honest, in one way after the other. */
const manners: readonly Manner[] = [
  'silent',
  'late',
  'lies',
  { refuses: 'IncorrectInstanceState' },
  'drops',
  'hangs',
]

const mannerOf = (number: number): Manner =>
  number % 10 === 9 ? (manners[Math.floor(number / 10) % manners.length] ?? 'honest') : 'honest'

const instanceId = (number: number) => `i-${String(number).padStart(17, '0')}`
const requestAt = (requests: readonly ActionRequest[], number: number) =>
  requests[number % requests.length] as ActionRequest

/** Before the account is attached. */
export function addInstances(ec2: FakeEc2, acting: ActingEc2, count: number): void {
  for (let number = 0; number < count; number += 1) {
    const id = instanceId(number)
    acting.manners.set(id, mannerOf(number))
    ec2.instances.set(id, {
      name: `server-${number}`,
      state: requestAt(ec2Requests, number).from,
    })
  }
}

const planned = (
  name: string,
  { id, external_id }: Server,
  request: ActionRequest,
  isHonest: boolean,
): Planned => ({
  name: `${name} ${request.method ?? 'POST'} ${request.path}`,
  serverId: id,
  externalId: external_id,
  request,
  key: randomUUID(),
  isHonest,
  mayDrift: name === 'simulator',
})

/** As many actions on each stand-in, each on another server. */
export function planActions(
  servers: readonly Server[],
  accounts: { readonly ec2: string; readonly libvirt: string; readonly simulator: string },
  count: number,
): Planned[] {
  const byId = new Map(servers.map((server) => [server.external_id, server]))
  const serverOf = (externalId: string) => {
    const server = byId.get(externalId)
    assert.ok(server, `${externalId} is not listed`)
    return server
  }
  const simulated = servers.filter(
    ({ account_id, scaling_group_id, disable_delete }) =>
      account_id === accounts.simulator && scaling_group_id === '' && !disable_delete,
  )
  const free = {
    running: simulated.filter(({ status }) => status === 'running'),
    stopped: simulated.filter(({ status }) => status === 'ready'),
    suspended: [],
  }
  return Array.from({ length: count }, (_, number) => {
    const at = Math.floor(number / 3)
    if (number % 3 === 0) {
      const server = serverOf(instanceId(at))
      return planned('EC2', server, requestAt(ec2Requests, at), mannerOf(at) === 'honest')
    }
    if (number % 3 === 1) {
      return planned('libvirt', serverOf(uuidOf(at)), requestAt(libvirtRequests, at), true)
    }
    const request = requestAt(simulatorRequests, at)
    const server = free[request.from].pop()
    assert.ok(server, `too few simulated servers are ${request.from}`)
    return planned('simulator', server, request, false)
  })
}

/**
 * Sends the request of an action. With its key it can be repeated until it is answered. A simulated server
 * may have changed by itself, so that there is nothing to do.
 */
export async function accept({ baseUrl }: Muster, token: string, one: Planned): Promise<void> {
  const { method = 'POST', path, body } = one.request
  const send = () =>
    ask<{ server: Server }>(baseUrl, `/servers/${one.serverId}${path}`, {
      method,
      token,
      headers: { 'idempotency-key': one.key },
      ...(method !== 'DELETE' && { body: { server: body ?? {} } }),
    })
  let answer = await send()
  // On a busy machine the source may not answer in time.
  for (let tries = 0; answer.status === 503 && tries < 10; tries += 1) answer = await send()
  if (answer.status === 429) throw new Error('too many tasks are queued')
  const id = answer.headers.get('x-task-id')
  if (one.mayDrift && (answer.status === 409 || id === null)) return
  assert.equal(answer.status, 200, `${one.name}: ${answer.text}`)
  assert.ok(id, `${one.name} was accepted without a task`)
  one.taskId = id
}

const callOf = ({ action, isForced }: Change) => `${action}${isForced ? ' by force' : ''}`

/** An honest source fails no task. Between many kills there may be too little time for all steps. */
function requireNoFailure(one: Planned, { status, error }: Task): void {
  if (!/time limit passed before/.test(error)) {
    assert.notEqual(status, 'failed', `${one.name}: ${error}`)
  }
}

/** What arrived at EC2, and whether it shows the result. */
export function checkInstance(acting: ActingEc2, one: Planned, task: Task): void {
  const arrived = acting.received.filter(({ id }) => id === one.externalId)
  for (const [call, some] of Map.groupBy(arrived, callOf)) {
    // After a failed resize, the server is started again by a second step.
    const undone = call === 'StartInstances' && task.status !== 'succeeded' ? 2 : 1
    assert.ok(some.length <= undone, `${one.name}: ${call} arrived ${some.length} times`)
  }
  if (task.status === 'succeeded') {
    const since = Date.parse(task.created_at)
    const { state, type } = one.request.to ?? {}
    const isShown = (acting.shown.get(one.externalId) ?? []).some(
      (shown) =>
        shown.time >= since &&
        (state === undefined || shown.state === state) &&
        (type === undefined || shown.type === type),
    )
    assert.ok(isShown, `${one.name} succeeded, and EC2 never showed it`)
  }
  if (one.isHonest) requireNoFailure(one, task)
}

/** What arrived at libvirt, and whether it shows the result. */
export function checkDomain(acting: ActingLibvirt, one: Planned, task: Task): void {
  const arrived = acting.received.filter(({ uuid }) => uuid === one.externalId)
  for (const [procedure, some] of Map.groupBy(arrived, (change) => change.procedure)) {
    assert.equal(some.length, 1, `${one.name}: ${procedure} arrived ${some.length} times`)
  }
  if (task.status === 'succeeded') {
    const isShown = (acting.shown.get(one.externalId) ?? []).some(
      ({ state }) => state === one.request.to?.state,
    )
    assert.ok(isShown, `${one.name} succeeded, and libvirt never showed it`)
  }
  requireNoFailure(one, task)
}

/** The simulator counts the requests of each server. */
export function checkSimulated(calls: number, one: Planned, task: Task): void {
  assert.ok(calls <= 1, `${one.name}: ${calls} requests arrived`)
  if (task.status === 'succeeded') assert.ok(calls >= 1, `${one.name} succeeded without a request`)
}

/** One event when it was accepted, and one at its end. */
export async function checkHistory(operator: Operator, one: Planned, task: Task): Promise<void> {
  const { events } = await operator.request<{ events: EventDto[] }>(
    `/servers/${one.serverId}/history?scope=max&limit=100`,
  )
  const told = events.filter(({ changes }) => changes['task_id']?.[1] === task.id)
  const ends = told.filter(({ changes }) => changes['task_status'] !== undefined)
  assert.deepEqual([told.length, ends.length], [2, 1], `${one.name}: ${JSON.stringify(told)}`)
  assert.equal(ends[0]?.changes['task_status']?.[1], task.status)
}
