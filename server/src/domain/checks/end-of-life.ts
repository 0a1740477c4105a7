import type { OperatingSystem } from '@muster/contract'
import { defaultServer } from '../inventory/build-server.ts'
import { createMatchesServer } from '../inventory/history/matches-server.ts'
import { allOf, anyOf } from '../query/conditions.ts'
import type { Condition } from '../inventory/condition.ts'

/**
 * The last day of regular security updates, as the vendors announced it by November 2026: standard support of Ubuntu
 * and Red Hat, LTS of Debian, extended support of Windows Server, general support of SUSE. https://endoflife.date lists
 * these days, to compare.
 */
const ends: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Ubuntu: {
    '12.04': '2017-04-28',
    '14.04': '2019-04-25',
    '16.04': '2021-04-30',
    '18.04': '2023-05-31',
    '20.04': '2025-05-31',
    '22.04': '2027-04-30',
    '24.04': '2029-05-31',
  },
  Debian: {
    '7': '2018-05-31',
    '8': '2020-06-30',
    '9': '2022-06-30',
    '10': '2024-06-30',
    '11': '2026-08-31',
    '12': '2028-06-30',
  },
  CentOS: {
    '5': '2017-03-31',
    '6': '2020-11-30',
    '7': '2024-06-30',
    '8': '2021-12-31',
  },
  'Red Hat Enterprise Linux': {
    '5': '2017-03-31',
    '6': '2020-11-30',
    '7': '2024-06-30',
    '8': '2029-05-31',
    '9': '2032-05-31',
  },
  'Windows Server': {
    '2003': '2015-07-14',
    '2008': '2020-01-14',
    '2012': '2023-10-10',
    '2016': '2027-01-12',
    '2019': '2029-01-09',
    '2022': '2031-10-14',
  },
  'SUSE Linux Enterprise': {
    '11': '2019-03-31',
    '12': '2024-10-31',
    '15': '2031-07-31',
  },
}

const named = (comparison: 'contains' | 'endswith', text: string): Condition => ({
  kind: 'field',
  field: 'os_name',
  comparison,
  values: [text],
})

/** The 6 in `Red Hat Enterprise Linux 8 64 bit` is no version. */
const hasVersion = (version: string): Condition =>
  version.length > 2
    ? named('contains', ` ${version}`)
    : anyOf([
        named('contains', ` ${version}.`),
        named('contains', ` ${version} `),
        named('endswith', ` ${version}`),
      ])

/** Servers whose operating system is this version. Comparisons ignore case. */
const isVersion = (name: string, version: string): Condition =>
  allOf([named('contains', name), hasVersion(version)])

const dayOf = (now: number) => new Date(now).toISOString().slice(0, 10)

/** Servers whose operating system no longer got security updates at this time. */
export function endedSystems(now: number): Condition {
  const today = dayOf(now)
  const families = Object.entries(ends).flatMap(([family, versions]): Condition[] => {
    const ended = Object.keys(versions).filter((version) => (versions[version] ?? '') < today)
    if (ended.length === 0) return []
    return [allOf([named('contains', family), anyOf(ended.map(hasVersion))])]
  })
  return families.length === 0 ? { kind: 'any', conditions: [] } : anyOf(families)
}

/** The versions that `osName` names, or all of the table: the first to end first. */
export function findOperatingSystems(now: number, osName?: string): readonly OperatingSystem[] {
  const server = { ...defaultServer, os_name: osName ?? '' }
  return Object.entries(ends)
    .flatMap(([name, versions]) =>
      Object.entries(versions).map(([version, until]) => ({
        name,
        version,
        supported_until: until,
        has_ended: until < dayOf(now),
      })),
    )
    .filter(
      ({ name, version }) =>
        osName === undefined || createMatchesServer(isVersion(name, version), new Map())(server),
    )
    .toSorted((a, b) => (a.supported_until < b.supported_until ? -1 : 1))
}
