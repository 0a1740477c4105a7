import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  createMemorySync,
  makeSeen,
  scanInto,
} from '../../testing/inventory-world/in-memory-sync.ts'
import type { StoredServer } from '../inventory/ports.ts'
import { SourceError } from '../sources/source-error.ts'
import type { ScanPage } from '../sources/source.ts'
import { serverIdOf } from '../sources/to-server-facts.ts'
import { decideAction } from './decide-action.ts'
import { createLoadSituations } from './situations.ts'

const [kept, lost] = ['here', 'there'].map((region_ext_id) =>
  ['1', '2'].map((name) => makeSeen(`${region_ext_id} ${name}`, { region_ext_id })),
) as [ReturnType<typeof makeSeen>[], ReturnType<typeof makeSeen>[]]
const [first = kept[0]] = lost
const error = new SourceError('failed', 'It has an error.')
const failing = (region: string, isWhole = true): ScanPage => ({
  present: [],
  gone: [],
  failed: [{ region, error, hasServers: !isWhole }],
})
const all: ScanPage = { present: [...kept, ...lost], gone: [] }
const lacking: ScanPage = { present: [...kept, ...lost.slice(1)], gone: [] }

/** Scans one after the other, and whether purge is allowed then. */
const courses: readonly (readonly [boolean, ...(readonly ScanPage[])[]])[] = [
  [false, [all]],
  [true, [all], [lacking]],
  [true, [all], [lacking], [lacking]],
  [true, [all], [lacking], [lacking, failing('here')]],
  [true, [all], [lacking], [lacking, failing('there', false)]],
  [false, [all], [lacking], [lacking, failing('there')]],
  [false, [all], [lacking], [lacking, failing('')]],
  [false, [all], [lacking, failing('there')]],
  [true, [all], [lacking], [lacking, failing('there')], [lacking]],
  [false, [all], [lacking], [all]],
]

for (const isStored of [true, false]) {
  test(`purge follows the last scan of the region, sighting: ${isStored}`, async () => {
    for (const [isAllowed, ...scans] of courses) {
      const sync = createMemorySync()
      for (const pages of scans) {
        await scanInto(
          sync,
          {
            title: 'memory',
            async *scan() {
              yield* pages
            },
            // It cannot say whether the server is gone, so that the server is held.
            get: () => Promise.reject(error),
            close: async () => {},
          },
          { hold: 1_000 },
        )
      }
      const load = createLoadSituations({
        kinds: new Map(),
        accounts: sync.accounts,
        sightings: isStored ? sync.sightings : { of: async () => new Map() },
        tasks: { unfinishedOf: async () => new Map() },
      })
      const id = serverIdOf(first ?? assert.fail())
      const stored = (await sync.serverWriter.findStored([id])).get(id) as StoredServer
      const situation = (await load([stored])).get(id) ?? assert.fail()
      const decision = decideAction('purge', {}, situation).kind
      assert.equal(decision, isAllowed && isStored ? 'act' : 'refused', JSON.stringify(scans))
    }
  })
}
