import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sourceActions, type ActionSupport } from '../../server/src/domain/sources/action-port.ts'
import { kinds } from '../../server/src/sources/kinds.ts'
import { readPages } from './read-page.ts'

const namesOf = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ')
const deletionOf = (can: boolean | undefined) => (can ? 'if asked' : 'never')

/** A row of the table about what sources can do. */
function rowOf(title: string, acting: ActionSupport): string[] {
  const missing = sourceActions.filter((action) => !acting.actions.includes(action))
  return [
    title,
    missing.length === 0 ? 'all' : `all but ${namesOf(missing)}`,
    acting.restarts ? 'at the source' : 'stop and start',
    namesOf(acting.resize?.fields ?? []),
    acting.resize?.isLive ? 'yes' : 'no',
    namesOf(acting.updates ?? []),
    deletionOf(acting.deletes?.disks),
    deletionOf(acting.deletes?.snapshots),
  ]
}

test('the table of what sources can do is that of the code', async () => {
  const page = readPages().find(({ path }) => path === 'docs/acting.md')
  const [, table = ''] = page?.text.split('## What each source can do') ?? []
  const rows = [...table.matchAll(/^\| (.*) \|$/gm)].map(([, cells = '']) =>
    cells.split('|').map((cell) => cell.trim()),
  )
  const loaded = await Promise.all([...kinds.values()].map((load) => load()))
  const expected = loaded.flatMap(({ title, acting }) => (acting ? [rowOf(title, acting)] : []))
  assert.ok(expected.length > 0)
  // The first two rows are the head.
  assert.deepEqual(rows.slice(2, 2 + expected.length), expected)
})
