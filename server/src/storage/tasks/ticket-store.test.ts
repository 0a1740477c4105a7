import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createActionTickets, ticketLifetime } from '../../domain/tasks/action-tickets.ts'
import { onBothEngines } from '../../testing/engines.ts'
import { openStorage, type TestStorage } from '../../testing/open-storage.ts'
import { createTicketStore } from './ticket-store.ts'

const start = Date.UTC(2027, 0, 1)
const previewed = {
  action: 'stop',
  params: { is_force: true },
  servers: [{ id: 'one', name: 'web "1"', version: 3 }],
} as const

onBothEngines('tickets of actions', (engine) => {
  let storage: TestStorage
  let now = start
  before(async () => {
    storage = await openStorage(engine)
  })
  after(() => storage.close())

  /** As another process has it. */
  const tickets = () => createActionTickets(createTicketStore(storage.database), () => now)

  async function accepted(userId = 'ada') {
    const ticket = await tickets().issue(userId, previewed)
    const question = await tickets().ask(ticket)
    assert.equal(await tickets().answer(question, userId, 'accepted'), true)
    return ticket
  }

  test('are the same in every process', async () => {
    const ticket = await tickets().issue('ada', previewed)
    const { action, params, servers } = await tickets().requireUsable(ticket.id, 'ada')
    assert.deepEqual({ action, params, servers }, previewed)
    await assert.rejects(tickets().requireUsable(ticket.id, 'eve'), /not found/)
  })

  test('are used once, also by processes at once', async () => {
    const ticket = await accepted()
    const uses = await Promise.allSettled([1, 2, 3, 4].map(() => tickets().use(ticket)))
    assert.equal(uses.filter(({ status }) => status === 'fulfilled').length, 1)
    await assert.rejects(tickets().requireUsable(ticket.id, 'ada'), /was used/)
  })

  test('are used only after their user has agreed', async () => {
    const ticket = await tickets().issue('ada', previewed)
    await assert.rejects(tickets().use(ticket), /was used/)
    const question = await tickets().ask(ticket)
    assert.equal(await tickets().findAnswer(question), undefined)
    assert.equal(await tickets().answer(question, 'eve', 'accepted'), false)
    assert.equal(await tickets().answer('', 'ada', 'accepted'), false)
    assert.equal(await tickets().answer(question, 'ada', 'declined'), true)
    assert.equal(await tickets().answer(question, 'ada', 'accepted'), false)
    assert.equal(await tickets().findAnswer(question), 'declined')
    await assert.rejects(tickets().use(ticket))
    await assert.rejects(tickets().ask(ticket), /was answered/)
    await assert.rejects(tickets().requireUsable(ticket.id, 'ada'), /was declined/)
  })

  test('have one question at a time', async () => {
    const ticket = await tickets().issue('ada', previewed)
    const first = await tickets().ask(ticket)
    const second = await tickets().ask(ticket)
    assert.equal(await tickets().findAnswer(first), 'declined')
    assert.equal(await tickets().answer(first, 'ada', 'accepted'), false)
    assert.equal(await tickets().answer(second, 'ada', 'accepted'), true)
  })

  test('expire, and are purged', async () => {
    const ticket = await accepted('kim')
    const asked = await tickets().issue('kim', previewed)
    const question = await tickets().ask(asked)
    now += ticketLifetime
    await assert.rejects(tickets().requireUsable(ticket.id, 'kim'), /has expired/)
    await assert.rejects(tickets().use(ticket))
    assert.equal(await tickets().answer(question, 'kim', 'accepted'), false)
    assert.equal(await tickets().findAnswer(question), 'declined')
    await tickets().purgeTickets()
    await assert.rejects(tickets().requireUsable(ticket.id, 'kim'), /has expired/)
    now += ticketLifetime + 1
    await tickets().purgeTickets()
    await assert.rejects(tickets().requireUsable(ticket.id, 'kim'), /not found/)
  })
})
