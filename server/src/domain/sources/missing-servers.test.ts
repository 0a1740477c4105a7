import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideMissing, selectReads, type MissingServer } from './missing-servers.ts'

const sightingOf = (serverId: string, missed: number, missingSince: number) => ({
  serverId,
  digest: 'a digest',
  projectId: 'a project',
  missed,
  missingSince,
  activeName: '',
  activeHost: '',
})

const [hold, now] = [1_000, 10_000]
const yesNo = [false, true]

/** All combinations of the values of each field. */
function combinations<Fields extends Record<string, readonly unknown[]>>(fields: Fields) {
  type Row = { readonly [Name in keyof Fields]: Fields[Name][number] }
  return Object.entries(fields).reduce<readonly Row[]>(
    (rows, [name, values]) =>
      rows.flatMap((row) => values.map((value) => ({ ...row, [name]: value }))),
    [{} as Row],
  )
}

const cases = combinations({
  /** Missing servers of a region, and known ones that the scan has seen there. */
  counts: [
    [1, 0],
    [1, 1],
    [1, 9],
    [2, 1],
    [2, 2],
    [5, 4],
  ] as const,
  presentElsewhere: [0, 1, 20],
  confirmation: ['gone', 'exists', undefined] as const,
  isUnread: yesNo,
  isAfterFailure: yesNo,
  /** Another missing server of the region exists, so that its list is incomplete. */
  isIncomplete: yesNo,
  missed: [0, 1, 2, 3],
  missingFor: [hold - 1, hold],
  isConfirmed: yesNo,
})
type Case = (typeof cases)[number]

/** The rules of decisions 0065 and 0118, in their order. */
function expected(scan: Case): 'gone' | 'held' | 'exists' {
  if (scan.confirmation === 'exists') return 'exists'
  if (scan.isConfirmed && scan.missed > 0) return 'gone'
  const isHoldOver = scan.missed >= 2 && !scan.isAfterFailure && scan.missingFor >= hold
  const [missing, seen] = scan.counts
  const present = seen + (scan.isIncomplete ? 1 : 0)
  const isMost = missing > present || missing > present + scan.presentElsewhere
  if (scan.confirmation === 'gone') return isHoldOver || !isMost ? 'gone' : 'held'
  return isHoldOver && !scan.isIncomplete ? 'gone' : 'held'
}

test(`missing servers are removed or held by the rules, in ${cases.length} cases`, () => {
  for (const scan of cases) {
    const [count, present] = scan.counts
    const since = scan.missed === 0 ? 0 : now - scan.missingFor
    const missing: MissingServer[] = Array.from({ length: count }, (_, index) => ({
      sighting: sightingOf(`s${index}`, scan.missed, since),
      region: 'here',
      isUnread: scan.isUnread,
    }))
    const confirmations = new Map(
      missing.flatMap(({ sighting }) =>
        scan.confirmation ? [[sighting.serverId, scan.confirmation] as const] : [],
      ),
    )
    if (scan.isIncomplete) {
      missing.push({ sighting: sightingOf('other', 0, 0), region: 'here', isUnread: false })
      confirmations.set('other', 'exists')
    }
    const found = [...confirmations.values()].filter((answer) => answer === 'exists').length
    const { goneIds, held } = decideMissing({
      missing,
      confirmations,
      presentByRegion: new Map([
        ['here', present + found],
        ['there', scan.presentElsewhere],
      ]),
      present: present + found + scan.presentElsewhere,
      confirmedUntil: scan.isConfirmed ? Math.max(1, since) : 0,
      now,
      hold,
      isAfterFailure: scan.isAfterFailure,
    })
    const outcome = expected(scan)
    const about = JSON.stringify(scan)
    assert.equal(goneIds.length, outcome === 'gone' ? count : 0, about)
    assert.equal(held.length, outcome === 'held' ? count : 0, about)
    for (const sighting of held) {
      const isFirst = scan.missed === 0 || scan.isAfterFailure
      assert.deepEqual(
        [sighting.missed, sighting.missingSince, sighting.digest],
        [isFirst ? 1 : Math.min(3, scan.missed + 1), isFirst ? now : since, ''],
        about,
      )
    }
  }
})

test('the source is asked about what it reads, and about few servers at once', () => {
  const serverAt = (missingSince: number, changes: Partial<MissingServer> = {}) => ({
    sighting: sightingOf(`s${missingSince}`, 2, missingSince),
    region: '',
    isUnread: false,
    ...changes,
  })
  const holding = { now, hold, isAfterFailure: false }
  const namesOf = (servers: readonly MissingServer[]) =>
    servers.map(({ sighting }) => sighting.missingSince)
  const recent = serverAt(now - hold + 1)
  const [older, oldest] = [serverAt(now - hold), serverAt(now - 2 * hold)]
  const all = [recent, older, serverAt(1, { isUnread: true }), oldest]
  assert.deepEqual(namesOf(selectReads(all, 3, holding)), namesOf([recent, older, oldest]))
  assert.deepEqual(namesOf(selectReads(all, 2, holding)), namesOf([oldest, older]))
  assert.deepEqual(namesOf(selectReads(all, 1, holding)), namesOf([oldest]))
})
