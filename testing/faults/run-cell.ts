import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { Server, Task } from '@muster/contract'
import { sourceActions } from '../../server/src/domain/sources/action-port.ts'
import { until } from '../../server/src/testing/inventory-world/attached-accounts.ts'
import type { Call, InitialStatus, SourceServer } from './back-end.ts'
import { armFault, type ArmedFault, type FaultName, type RecordedCall } from './faults.ts'
import { checkAccount, checkNotes, checkSentOnce, checkServers, checkTask } from './invariants.ts'
import type { World } from './world.ts'

/** What is done while the fault happens: a scan, or an action of the API. */
export const operations = ['scan', ...sourceActions] as const
export type Operation = (typeof operations)[number]

export interface Cell {
  readonly operation: Operation
  readonly recorded: RecordedCall
  readonly fault: FaultName
}

/** Milliseconds for which a fault lasts: for a request without an answer longer than its time limit. */
const outageOf = (fault: FaultName) => (fault === 'no answer' ? 4_000 : 1_500)
/** Milliseconds in which an operation sends the request with the fault. */
const longestWait = 15_000
/** Seconds that a guest has to shut down. */
const guestTime = 4
/** Seconds in which a task must end when the source answers again. */
const patience = 60

const initialStatus: Partial<Record<Operation, InitialStatus>> = {
  start: 'ready',
  resume: 'suspend',
}
const targetStatus: Partial<Record<Operation, string>> = {
  start: 'running',
  stop: 'ready',
  suspend: 'suspend',
  resume: 'running',
}

const isEnded = ({ status }: Task) => status !== 'queued' && status !== 'running'

let count = 0

/** A server that an action is done to, with notes of a user. */
export interface Prepared {
  readonly server: Server
  readonly parameters: object
}

/** Creates servers for as many actions. One scan for all of them saves most of the time. */
export async function prepareServers(
  { backEnd, settle, show, annotate }: World,
  operation: Operation,
  amount: number,
): Promise<Prepared[]> {
  const names = new Map<string, string>()
  const own = operation === 'scan' ? undefined : backEnd.startsFrom?.[operation]
  const status = own ?? initialStatus[operation] ?? 'running'
  for (let made = 0; made < amount; made += 1) {
    count += 1
    const name = `cell-${count}`
    names.set(await backEnd.create(name, status), name)
  }
  await settle()
  const servers = (await show()).servers.filter(({ external_id }) => names.has(external_id))
  assert.equal(servers.length, amount)
  for (const { id } of servers) await annotate(id)
  return servers.map((server) => ({
    server,
    parameters: {
      ...(operation === 'update' && { name: `${server.name}-renamed` }),
      ...(operation === 'change-config' && { ...backEnd.otherSize, force_stop: true }),
      ...((operation === 'stop' || operation === 'restart') && { timeout_secs: guestTime }),
      ...(operation !== 'scan' && backEnd.parameters?.[operation]),
    },
  }))
}

/** Removes what is left of servers that were prepared. */
export async function removeServers(
  { backEnd }: World,
  prepared: readonly Prepared[],
): Promise<void> {
  const left = await backEnd.servers()
  for (const { server } of prepared) {
    if (left.has(server.external_id)) await backEnd.remove(server.external_id)
  }
}

/** Waits while the fault lasts: at most for the outage from its first hit. */
async function waitOut(
  armed: ArmedFault,
  outage: number,
  isOver: () => Promise<boolean>,
): Promise<void> {
  const unhit = Date.now() + longestWait
  let end = Infinity
  while (Date.now() < (armed.isHit() ? end : unhit)) {
    if (armed.isHit()) end = Math.min(end, Date.now() + outage)
    if (await isOver().catch(() => false)) return
    await pause(100)
  }
}

/** Scans while the fault lasts, and again without it. Returns what is wrong. */
export async function runScan(world: World, { recorded, fault }: Cell): Promise<string[]> {
  const { backEnd, show } = world
  await world.settle()
  const before = await show()
  const start = backEnd.port.exchanges().length
  count += 1
  const renamed = `other-${count}`
  const otherId = await backEnd.renameOther(renamed)
  const armed = armFault(backEnd, recorded, fault, world.kill)
  const found: string[] = []
  await world.requestScan()
  if (fault === 'Muster killed') {
    await armed.hit
    await world.restart()
    await armed.heal()
  } else {
    await world.scanned(before.account.sync)
    assert.ok(armed.isHit(), 'the fault was not hit')
    const during = await show()
    if (fault === 'back end restarted') await armed.heal()
    const { servers, account } = during
    const source = await backEnd.servers()
    const passes = fault === 'back end restarted' || fault === 'connection refused'
    const { place } = recorded.call
    const isAlone = place !== undefined && !passes
    const isShort = fault === 'empty list' || fault === 'half list'
    const mustTell = isShort
      ? backEnd.isServerList(recorded.call)
      : recorded.call.isCleanup !== true && fault !== 'back end restarted'
    if (mustTell) found.push(...checkAccount(account, { place, isAlone, isShort }))
    const isFresh = servers.some(
      ({ external_id, name }) => external_id === otherId && name === renamed,
    )
    if (isAlone && !isFresh) found.push('the servers of the other region are not fresh')
    const others = new Map([...source].filter(([id]) => id !== otherId))
    found.push(
      ...checkServers(before, withoutOne(during, otherId), others),
      ...checkNotes(before, during),
    )
    await armed.heal()
  }
  await world.scan().catch((error: unknown) => found.push(String(error)))
  const after = await show()
  const { status, sync } = after.account
  if (status !== 'connected' || sync.warnings.length > 0) {
    found.push(
      `after the fault the account is ${status} ${sync.error} ${JSON.stringify(sync.warnings)}`,
    )
  }
  found.push(
    ...checkServers(before, after, await backEnd.servers()),
    ...checkNotes(before, after),
    ...checkSentOnce(backEnd.port.exchanges().slice(start)),
  )
  return found
}

const withoutOne = <Shown extends { readonly servers: readonly { external_id: string }[] }>(
  shown: Shown,
  id: string,
): Shown => ({ ...shown, servers: shown.servers.filter(({ external_id }) => external_id !== id) })

/** Acts while the fault lasts, and waits for the end of the task. Returns what is wrong. */
export async function runAction(
  world: World,
  { operation, recorded, fault }: Cell,
  { server, parameters }: Prepared,
): Promise<string[]> {
  const { backEnd, show } = world
  const { external_id } = server
  const before = await show()
  const start = backEnd.port.exchanges().length
  const sent = () => backEnd.port.exchanges().slice(start)
  const real = (await backEnd.servers()).get(external_id)
  const armed = armFault(backEnd, recorded, fault, world.kill)
  const found: string[] = []
  const isKilled = fault === 'Muster killed'
  const accepted = await world.perform(server.id, operation, parameters).catch((error: unknown) => {
    if (!isKilled) throw error
    return undefined
  })
  if (isKilled) {
    await Promise.race([armed.hit, pause(longestWait)])
    if (armed.isHit()) await world.restart()
  }
  const taskId = accepted ? accepted.id : await world.taskOf(server.id)
  const isOver = async () => taskId === null || isEnded(await world.task(taskId))
  if (!isKilled) await waitOut(armed, outageOf(fault), isOver)
  await armed.heal()
  assert.ok(armed.isHit(), `the fault was not hit: ${accepted?.text}`)
  if (taskId === null) {
    if (accepted && accepted.status !== 503) found.push(`the action was answered ${accepted.text}`)
    if (sent().some(({ call }) => call.changes)) found.push('a refused action was sent')
  } else {
    await until('the task ends', isOver, patience).catch(() => {})
    const task = await world.task(taskId)
    // Without an answer the next scan shows what happened. It would come within a period.
    if (task.status === 'unknown') await world.refresh(server.id).catch(() => {})
    const look = async () => {
      const source = (await backEnd.servers()).get(external_id)
      return { source, shown: (await show()).servers.find(({ id }) => id === server.id) }
    }
    const isSame = async () => {
      const one = await look()
      return one.source?.status === one.shown?.status && one
    }
    const { source, shown } = await until('the status is right', isSame, 5).catch(look)
    const lost = sent().findLast(({ call }) => call.name === recorded.call.name)
    const result = {
      task,
      fault,
      isReached: isReached(operation, real, source),
      source,
      server: shown,
      isChangeLost: recorded.call.changes && lost?.isDelivered === false,
    }
    found.push(...checkTask(result))
    if (found.length > 0) found.push(`(task: ${task.status} "${task.error}")`)
  }
  const after = await show()
  return [
    ...found,
    ...checkSentOnce(sent()),
    ...checkServers(before, after, await backEnd.servers()),
    ...checkNotes(before, after),
  ]
}

/** Whether the source shows the target; undefined if it was so before. */
function isReached(
  operation: Operation,
  before: SourceServer | undefined,
  now: SourceServer | undefined,
): boolean | undefined {
  if (operation === 'delete') return now === undefined
  if (operation === 'update') return now?.name !== before?.name
  if (operation === 'change-config') return now?.size !== before?.size && now?.status === 'running'
  const target = targetStatus[operation]
  return target === undefined ? undefined : now?.status === target
}

/** Runs an operation without a fault, and returns the requests that it sent, each name once. */
export async function record(world: World, operation: Operation): Promise<RecordedCall[]> {
  const { backEnd } = world
  const [prepared] = operation === 'scan' ? [] : await prepareServers(world, operation, 1)
  if (!prepared) await world.settle()
  const { port } = backEnd
  const start = port.exchanges().length
  const items = new Map<string, number>()
  const onList = ({ name }: Call, length: number) =>
    void items.set(name, Math.max(length, items.get(name) ?? 0))
  port.inject({ onList }, () => true)
  if (prepared) {
    const { server, parameters } = prepared
    const { id, text } = await world.perform(server.id, operation, parameters)
    assert.ok(id !== null, text)
    const task = await until(`${operation} ends`, async () => {
      const now = await world.task(id)
      return isEnded(now) && now
    })
    assert.equal(task.status, 'succeeded', task.error)
  } else await world.scan()
  port.heal()
  const recorded = port
    .exchanges()
    .slice(start)
    .map(({ call }, index): RecordedCall => ({ call, index, items: items.get(call.name) ?? 0 }))
  if (prepared) await removeServers(world, [prepared])
  const names = new Set<string>()
  return recorded.filter(({ call: { name } }) => !names.has(name) && names.add(name))
}
