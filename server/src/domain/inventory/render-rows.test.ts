import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ServerParts } from './ports.ts'
import { renderRows } from './render-rows.ts'
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
  digest: String(at),
  metadata: undefined,
  metadataDigest: '',
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
  const { pieces } = await renderRows(all, shape, new Map(), {} as Visibility)
  isOver = true
  assert.ok(turns >= 7, String(turns))
  const ids = JSON.parse(`[${Buffer.concat(pieces).toString()}]`) as { id: string }[]
  assert.deepEqual(
    ids,
    all.map(({ id }) => ({ id })),
  )
})
