import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultServer } from '../inventory/build-server.ts'
import { createMatchesServer } from '../inventory/history/matches-server.ts'
import { endedSystems, findOperatingSystems } from './end-of-life.ts'

const isEnded = (name: string, day: string) =>
  createMatchesServer(endedSystems(Date.parse(day)), new Map())({ ...defaultServer, os_name: name })

test('operating systems end with their last day, whatever else is in their names', () => {
  for (const [name, day, expected] of [
    ['Ubuntu 20.04.6 LTS', '2025-05-31', false],
    ['Ubuntu 20.04.6 LTS', '2025-06-01', true],
    ['Ubuntu Linux (64-bit) 24.04', '2026-11-19', false],
    ['CentOS  7.9 64 bit', '2026-11-19', true],
    ['CentOS Linux 7 (Core)', '2026-11-19', true],
    ['Red Hat Enterprise Linux 8 64 bit', '2026-11-19', false],
    ['Red Hat Enterprise Linux 6 (64-bit)', '2026-11-19', true],
    ['Debian GNU/Linux 12 (bookworm)', '2026-11-19', false],
    ['Debian GNU/Linux 9', '2026-11-19', true],
    ['Microsoft Windows Server 2012 R2 Datacenter', '2026-11-19', true],
    ['Microsoft Windows Server 2022', '2026-11-19', false],
    ['SUSE Linux Enterprise 12 SP5', '2026-11-19', true],
    ['', '2026-11-19', false],
  ] as const) {
    assert.equal(isEnded(name, day), expected, `${name} on ${day}`)
    const found = findOperatingSystems(Date.parse(day), name)
    assert.deepEqual(
      found.map(({ has_ended }) => has_ended),
      name === '' ? [] : [expected],
      name,
    )
  }
})
