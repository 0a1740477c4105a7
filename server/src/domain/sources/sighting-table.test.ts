import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { Sighting } from '../inventory/ports.ts'
import { derivedId } from './derived-id.ts'
import { IdTable } from './id-table.ts'
import { SightingTable } from './sighting-table.ts'

const anyId = fc.oneof(
  fc.uuid(),
  // Ids with the same first word share a slot.
  fc
    .integer({ min: 0, max: 40 })
    .map((n) => `00000000-0000-8000-8000-${String(n).padStart(12, '0')}`),
)

const plain = { missed: 0, missingSince: 0, activeName: '', activeHost: '' }

const anySighting = fc.record({
  digest: fc.constantFrom('', 'unreadable x', 'a'.repeat(27), 'b'.repeat(27)),
  projectId: fc.constantFrom('one', 'two', 'three'),
  missed: fc.constantFrom(0, 0, 2),
  missingSince: fc.constantFrom(0, 0, 1_700_000_000_000),
  activeName: fc.constantFrom('', '', 'web'),
  activeHost: fc.constantFrom('', '', 'kvm-1'),
})

describe('a table of sightings', () => {
  test('returns what was set last, like a map', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(anyId, anySighting), { maxLength: 200 }), (entries) => {
        const table = new SightingTable()
        const map = new Map<string, Sighting>()
        for (const [serverId, rest] of entries) {
          table.set({ serverId, ...rest })
          map.set(serverId, { serverId, ...rest })
        }
        assert.deepEqual([...table.values()], [...map.values()])
        assert.deepEqual([...table.keys()], [...map.keys()])
        for (const id of map.keys())
          assert.deepEqual([table.has(id), table.get(id)], [true, map.get(id)])
        const other = derivedId('server', 'not there')
        assert.deepEqual([table.has(other), table.get(other)], [false, undefined])
      }),
    )
  })

  test('grows', () => {
    const table = new SightingTable()
    const sightings = Array.from({ length: 5_000 }, (_, index) => ({
      serverId: derivedId('server', String(index)),
      digest: String(index).padStart(27, '-'),
      projectId: `project ${index % 7}`,
      ...plain,
      missed: index % 100 === 0 ? 1 : 0,
    }))
    for (const sighting of sightings) table.set(sighting)
    assert.deepEqual([...table.values()], sightings)
    for (const sighting of sightings) assert.deepEqual(table.get(sighting.serverId), sighting)
  })
})

describe('a table of ids', () => {
  test('numbers ids in the order in which they are added, each once', () => {
    fc.assert(
      fc.property(fc.array(anyId), (ids) => {
        const table = new IdTable()
        const unique = [...new Set(ids)]
        for (const id of ids) assert.equal(table.add(id), unique.indexOf(id))
        assert.equal(table.size, unique.length)
        assert.deepEqual(
          unique.map((_, number) => table.idOf(number)),
          unique,
        )
      }),
    )
  })

  test('accepts UUIDs only', () => {
    const table = new IdTable()
    const id = derivedId('server', 'a')
    table.add(id)
    for (const wrong of [
      '',
      'a',
      id.slice(1),
      `${id}0`,
      id.replaceAll('-', '0'),
      id.replace(/^./, 'G'),
    ]) {
      assert.throws(() => table.add(wrong))
      assert.equal(table.has(wrong), false)
    }
  })
})
