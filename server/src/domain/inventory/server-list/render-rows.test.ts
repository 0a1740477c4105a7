import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ServerParts } from '../ports.ts'
import { createRowRenderer, renderRows } from './render-rows.ts'
import type { Visibility } from './visibility.ts'

const part = (at: number): ServerParts => ({
  id: String(at),
  projectId: 'p',
  domainId: 'd',
  managerProjectId: '',
  accountId: '',
  isDeleted: false,
  adminGroup: '',
  body: Buffer.from(`{"id":"${at}"`),
  shortLength: `{"id":"${at}"`.length,
  metadata: Buffer.from('{}'),
  digest: String(at),
})
const shape = { details: false, withMetadata: false, keys: undefined }

test('a large page is rendered in chunks, with turns for other requests between them', async () => {
  let turns = 0
  let isOver = false
  const count = () => {
    turns += 1
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const all = Array.from({ length: 1_000 }, (_, at) => part(at))
  const rows = createRowRenderer(
    shape,
    { byProject: new Map(), managed: new Set() },
    {} as Visibility,
  )
  const pieces = await renderRows(rows, all)
  isOver = true
  assert.ok(turns >= 7, String(turns))
  const ids = JSON.parse(`[${Buffer.concat(pieces).toString()}]`) as { id: string }[]
  assert.deepEqual(
    ids,
    all.map(({ id }) => ({ id })),
  )
})

test('each server of a page has its own caller fields', () => {
  const own = (name: string) => ({ projectId: name, project: name, domainId: 'd', domain: 'D' })
  const owners = {
    byProject: new Map(['p', 'q'].map((name) => [name, own(name)])),
    managed: new Set<string>(),
  }
  const inDomain = { kind: 'domain', domainId: 'd' } as const
  const visibility: Visibility = {
    scope: { kind: 'system' },
    updates: inDomain,
    deletes: { kind: 'none' },
    administers: inDomain,
  }
  const render = () => createRowRenderer({ ...shape, details: true }, owners, visibility).render
  const others: Partial<ServerParts>[] = [
    { projectId: 'q' },
    { domainId: 'e' },
    { managerProjectId: 'q' },
    { isDeleted: true },
    { adminGroup: '"admin_secgrp_id":"g","admin_security_rules":""' },
  ]
  for (const changes of others) {
    const rows = render()
    const pair = [part(1), { ...part(1), ...changes }].map((parts) => String(rows(parts)))
    assert.notEqual(pair[1], pair[0], JSON.stringify(changes))
    assert.equal(pair[1], String(render()({ ...part(1), ...changes })))
  }
})

describe('the digests of rendered servers', () => {
  const nothing = { kind: 'none' } as const
  const seenBy = (updates: Visibility['updates'] = nothing): Visibility => ({
    scope: { kind: 'system' },
    updates,
    deletes: nothing,
    administers: nothing,
  })
  const ownersNamed = (project: string) => ({
    byProject: new Map([['p', { projectId: 'p', project, domainId: 'd', domain: 'D' }]]),
    managed: new Set<string>(),
  })

  const digestOf = (
    all: readonly ServerParts[],
    visibility = seenBy(),
    owners = ownersNamed('web'),
    form: Partial<typeof shape> = {},
  ) => {
    const rows = createRowRenderer({ ...shape, details: true, ...form }, owners, visibility)
    for (const parts of all) rows.render(parts)
    return rows.digests()
  }

  test('change with each server, the names of its owners and the caller', () => {
    const page = [part(1), part(2)]
    assert.equal(digestOf([part(1), part(2)]), digestOf(page))
    const others = [
      digestOf([part(1)]),
      digestOf([part(2), part(1)]),
      digestOf([part(1), { ...part(2), isDeleted: true }]),
      digestOf(page, seenBy(), ownersNamed('web'), { withMetadata: true }),
      digestOf(page, seenBy({ kind: 'system' })),
      digestOf(page, seenBy(), ownersNamed('db')),
      digestOf(page, seenBy(), ownersNamed('web'), { details: false }),
    ]
    assert.equal(new Set([digestOf(page), ...others]).size, 8)
  })
})
