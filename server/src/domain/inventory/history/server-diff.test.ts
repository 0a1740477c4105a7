import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { Server } from '@muster/contract'
import { runsInLane } from '../../../testing/lanes.ts'
import { defaultServer, upgradeServer } from '../build-server.ts'
import { fromBits, kindsOf, toBits } from './change-kinds.ts'
import { diffServers } from './server-diff.ts'
import { undoChanges } from './undo-changes.ts'

const word = fc.constantFrom('', 'a', 'b', 'running', 'ä"\\')
const disk = fc.record({ size: fc.nat(9), index: fc.nat(3), id: word })
const nic = fc.record({ ip_addr: word, network_id: word, mac: word })
const tagKey = fc
  .tuple(fc.constantFrom('user:', 'ext:', 'sys:'), fc.constantFrom('env', '__proto__', 'x y'))
  .map((parts) => parts.join(''))

/** Servers as they are stored: derived fields follow from the others. */
const version = fc
  .record({
    name: word,
    status: word,
    vcpu_count: fc.nat(4),
    eip: word,
    host_id: word,
    project_id: word,
    region: word,
    is_gpu: fc.boolean(),
    expired_at: fc.constantFrom(null, '2026-05-04T08:00:00.000000Z'),
    disks_info: fc.array(disk, { maxLength: 2 }),
    nics: fc.array(nic, { maxLength: 2 }),
    secgroups: fc.array(fc.record({ id: word, name: word }), { maxLength: 2 }),
    metadata: fc
      .dictionary(tagKey, word, { maxKeys: 3 })
      .map((tags) =>
        Object.fromEntries(Object.entries(tags).toSorted(([a], [b]) => (a < b ? -1 : 1))),
      ),
    updated_at: fc.constantFrom('2026-05-04T08:00:00.000000Z', '2026-05-05T08:00:00.123456Z'),
  })
  .map((fields) => upgradeServer({ ...defaultServer, ...(fields as unknown as Partial<Server>) }))

const stored = (before: Server, after: Server) => ({
  isFirst: false,
  formerUpdatedAt: before.updated_at as string,
  diff: JSON.parse(JSON.stringify(diffServers(before, after))) as ReturnType<typeof diffServers>,
})

void describe('versions of a server', () => {
  void it('are rebuilt from the last one by undoing changes, byte by byte', () => {
    fc.assert(
      fc.property(fc.array(version, { minLength: 2, maxLength: 5 }), (given) => {
        const versions = given.map((server, at) => ({ ...server, update_version: at }))
        for (const [first, wanted] of versions.entries()) {
          const later = versions.slice(first + 1)
          const changes = later
            .map((after, at) => stored(versions[first + at] as Server, after))
            .toReversed()
          const rebuilt = undoChanges(versions.at(-1), changes)
          assert.equal(JSON.stringify(rebuilt), JSON.stringify(wanted))
        }
      }),
      { numRuns: runsInLane(500) },
    )
  })

  void it('do not exist before the first change, and are whole before a server is gone', () => {
    const [before, after] = fc.sample(version, { numRuns: 2, seed: 1 }) as [Server, Server]
    const change = stored(before, after)
    assert.equal(undoChanges(after, [{ ...change, isFirst: true }]), undefined)
    assert.deepEqual(undoChanges(undefined, [{ ...change, formerVersion: before }]), before)
  })

  void it('ignore a field that did not exist when the earlier one was stored', () => {
    const after = { ...defaultServer, status: 'running', name: 'web', update_version: 1 }
    assert.deepEqual(Object.keys(diffServers(defaultServer, after, new Set(['status']))), ['name'])
  })
})

void describe('the kinds of a change', () => {
  const kinds = (changes: Partial<Server>, before: Partial<Server> = {}) => {
    const [old, fresh] = [
      { ...defaultServer, ...before },
      { ...defaultServer, ...changes },
    ]
    return kindsOf(old, fresh, diffServers(old, fresh))
  }

  void it('follow from the fields that changed', () => {
    assert.deepEqual(kinds({ status: 'ready' }, { status: 'running' }), ['status'])
    assert.deepEqual(kinds({ vcpu_count: 2, eip: '192.0.2.1' }), ['size', 'address'])
    assert.deepEqual(kinds({ metadata: { 'user:env': 'prod' } }), ['tag'])
    assert.deepEqual(kinds({ metadata: { 'sys:source_status': 'x' } }), ['other'])
    assert.deepEqual(kinds({ description: 'x' }), ['other'])
    assert.deepEqual(kinds({ project_id: 'p', name: 'n' }), ['moved', 'renamed'])
  })

  void it('are of the whole server when it appears, goes and returns', () => {
    assert.deepEqual(kindsOf(undefined, defaultServer, {}), ['appeared'])
    assert.deepEqual(kinds({ deleted: true, status: 'unknown' }), ['gone'])
    assert.deepEqual(kinds({ status: 'running' }, { deleted: true }), ['returned'])
  })

  void it('are none for notes that Muster keeps for its tasks', () => {
    assert.deepEqual(kinds({ metadata: { 'sys:task_id': 'x' } }), [])
  })

  void it('are stored as bits', () => {
    for (const some of [[], ['appeared'], ['status', 'tag'], ['other']] as const) {
      assert.deepEqual(fromBits(toBits(some)), some)
    }
  })
})
