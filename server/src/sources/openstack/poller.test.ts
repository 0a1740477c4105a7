import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ServiceClient, ServiceRequest } from './service-client.ts'
import { findChanges, startPoller } from './poller.ts'

const now = Date.parse('2026-01-01T12:00:00Z')
const minutesLater = (minutes: number) => new Date(now + minutes * 60_000)
const { signal } = new AbortController()

/** A poller of a Nova that has these servers, by the minute of their last change. */
async function pollerOf(servers: Map<string, number>, novaTime?: () => Date) {
  const asked: string[] = []
  async function send({ path }: Pick<ServiceRequest, 'path'>) {
    const since = new URL(path, 'http://nova').searchParams.get('changes-since')
    if (since !== null) asked.push(since)
    const rows = [...servers]
      .map(([id, minute]) => ({ id, updated: minutesLater(minute).toISOString() }))
      .filter(({ updated }) => since === null || Date.parse(updated) >= Date.parse(since))
      .sort((a, b) => (a.updated < b.updated ? 1 : -1))
      .slice(0, since === null ? 1 : undefined)
    const headers = novaTime ? { date: novaTime().toUTCString() } : {}
    return { status: 200, headers, host: 'nova', json: { servers: rows }, bytes: 0 }
  }
  const client: ServiceClient = {
    region: 'RegionOne',
    has: async () => false,
    send,
    change: () => assert.fail('polling changes nothing'),
    listUsed: () => assert.fail('it polls servers only'),
    async list(request) {
      const first = await send(request)
      return { rows: first.json.servers, first }
    },
  }
  const project = {
    key: 'RegionOne own',
    compute: { client, microversion: '2.93', seesAllProjects: false },
    projectId: 'p',
    site: { cloud: 'c', region: 'RegionOne' },
  }
  const poller = await startPoller(project, now, signal)
  const poll = async (minute: number) => {
    const { changed, commit } = await findChanges(poller, minutesLater(minute).getTime(), signal)
    commit()
    return changed.map(({ id }) => id)
  }
  return { poll, asked }
}

for (const hasTime of [true, false]) {
  const title = hasTime ? 'with the time of Nova' : 'without the time of Nova'
  test(`a server with a clock that is ahead does not hide changes, ${title}`, async () => {
    const servers = new Map([
      ['ahead', 600],
      ['old', -30],
    ])
    let minute = 0
    const { poll } = await pollerOf(servers, hasTime ? () => minutesLater(minute) : undefined)
    assert.deepEqual(await poll(0), ['ahead'])
    servers.set('changed', 3)
    minute = 4
    assert.deepEqual(await poll(minute), ['changed'])
    servers.set('changed', 8)
    minute = 9
    assert.deepEqual(await poll(minute), ['changed'])
    assert.deepEqual(await poll(minute), [])
  })
}

test('a poll does not list a mass change again after a while', async () => {
  const servers = new Map([['batch', 0]])
  let minute = 0
  const { poll, asked } = await pollerOf(servers, () => minutesLater(minute))
  await poll(minute)
  minute = 10
  await poll(minute)
  await poll(minute)
  assert.equal(asked.at(-1), minutesLater(8).toISOString().replace('.000', ''))
})
