import type { Cloud, Region, Zone } from './clouds/cloud.ts'
import { ownClouds } from './clouds/own-clouds.ts'
import { publicClouds } from './clouds/public-clouds.ts'
import {
  below,
  byWeight,
  chance,
  diceOf,
  diceOfText,
  hex16,
  pick,
  roll,
  uuid,
} from './random-hash.ts'
import { startTime } from './lifecycle.ts'

const serversOnAHost = 50
const day = 86_400_000

/** One zone of one account, generated once. */
export interface Site {
  readonly cloud: Cloud
  readonly dice: number
  /** The index of the account. */
  readonly number: number
  readonly account: string
  readonly account_id: string
  readonly region: string
  readonly regionDice: number
  readonly cloudregion_id: string
  readonly region_ext_id: string
  readonly zone: string
  readonly zone_id: string
  readonly zone_ext_id: string
}

/** A simulated cloud account. */
export interface SimulatedAccount {
  readonly id: string
  readonly name: string
  /** When it was attached to Muster. */
  readonly attachedAt: number
}

export interface Host {
  /** Counted within the account. */
  readonly number: number
  readonly dice: number
  readonly name: string
  readonly id: string
  readonly serial: string
  readonly status: string
  readonly service: string
}

/** For clouds that hide their hosts. */
const hidden: Host = {
  number: 0,
  dice: 0,
  name: '',
  id: '',
  serial: '',
  status: 'running',
  service: 'online',
}

const hostStatuses = byWeight([
  ['running', 94],
  ['maintaining', 3],
  ['ready', 1],
  ['init', 1],
  ['unknown', 1],
])

interface Fleet {
  readonly seed: number
  readonly servers: number
}

const clouds = [...ownClouds, ...publicClouds]
const named = clouds.flatMap((cloud) => cloud.accounts.map((account) => ({ cloud, account })))

/** All cloud accounts of a seed. */
export const simulatedAccounts = (seed: number): readonly SimulatedAccount[] =>
  named.map(({ account: { name } }) => {
    const dice = diceOfText(seed, name)
    return { id: uuid(dice, 1), name, attachedAt: startTime - (40 + below(dice, 2, 1_000)) * day }
  })

/** The zones of all accounts, and which projects use them. */
export function createSites({ seed, servers }: Fleet) {
  const accounts: readonly (readonly Site[])[] = named.map(({ cloud, account }, number) => {
    const dice = diceOfText(seed, account.name)
    const common = { cloud, dice, number, account: account.name, account_id: uuid(dice, 1) }
    return account.regions.flatMap((region) =>
      region.zones.map((zone) => ({ ...common, ...locationOf(seed, account.name, region, zone) })),
    )
  })
  const hostsOfAccount = Math.max(2, Math.ceil(servers / named.length / serversOnAHost))

  /** A project has a preferred account and two others; a few servers are anywhere. */
  function sitesOf(project: number, dice: number): readonly Site[] {
    const luck = chance(dice, 1)
    const ofProject = diceOf(seed ^ 0x5eed, project)
    if (luck < 0.55) return accounts[project % accounts.length] as readonly Site[]
    if (luck < 0.75) return pick(ofProject, 1, accounts)
    if (luck < 0.9) return pick(ofProject, 2, accounts)
    return pick(dice, 2, accounts)
  }

  function describeHost(site: Site, number: number): Host {
    const dice = diceOf(site.dice, number)
    const status = pick(dice, 1, hostStatuses)
    return {
      number,
      dice,
      name: [
        site.zone,
        site.cloud.host_type === 'hypervisor' ? 'kvm' : site.cloud.host_type,
        String(number + 1).padStart(3, '0'),
      ].join('-'),
      id: uuid(dice, 2),
      serial: `${site.cloud.serial}${hex16(roll(dice, 3))}${hex16(roll(dice, 4))}`.toUpperCase(),
      status,
      service: status === 'running' || status === 'maintaining' ? 'online' : 'offline',
    }
  }

  /** Hosts are numbered per account; each is in one zone. */
  const siteOfHost = (sites: readonly Site[], number: number) =>
    sites[number % sites.length] as Site

  /** The hosts of each account by their number, described when they are first needed. */
  const hosts = accounts.map((): Host[] => [])

  function hostOf(sites: readonly Site[], number: number): Host {
    const site = siteOfHost(sites, number)
    const ofAccount = hosts[site.number] as Host[]
    return (ofAccount[number] ??= describeHost(site, number))
  }

  return {
    /** The sites of every account, or of one. */
    accounts: (name?: string): readonly (readonly Site[])[] =>
      name === undefined ? accounts : accounts.filter(([site]) => site?.account === name),

    /** All hosts of an account; none if its cloud hides them. */
    hostsOf: (sites: readonly Site[]): readonly { readonly site: Site; readonly host: Host }[] =>
      Array.from(
        { length: sites[0]?.cloud.serial === undefined ? 0 : hostsOfAccount },
        (_, number) => {
          return { site: siteOfHost(sites, number), host: hostOf(sites, number) }
        },
      ),

    /** Cheap, because it filters all servers by account. */
    accountOf(project: number, dice: number): Pick<Site, 'cloud' | 'account' | 'account_id'> {
      const [first] = sitesOf(project, dice) as [Site]
      return first
    },

    siteAndHost(project: number, dice: number): { site: Site; host: Host; backup: Host } {
      const sites = sitesOf(project, dice)
      const [first] = sites as [Site]
      if (first.cloud.serial === undefined) {
        return { site: pick(dice, 3, sites), host: hidden, backup: hidden }
      }
      const number = below(dice, 3, hostsOfAccount)
      const site = siteOfHost(sites, number)
      const standby = (number + sites.length) % hostsOfAccount
      return { site, host: hostOf(sites, number), backup: hostOf(sites, standby) }
    },
  }
}

function locationOf(seed: number, account: string, region: Region, zone: Zone) {
  const regionDice = diceOfText(seed, `${account} ${region.extId}`)
  return {
    region: region.name,
    regionDice,
    cloudregion_id: uuid(regionDice, 4),
    region_ext_id: region.extId,
    zone: zone.name,
    zone_id: uuid(diceOfText(seed, `${account} ${region.extId} ${zone.extId}`), 5),
    zone_ext_id: zone.extId,
  }
}
