import type { Cloud, Region, Zone } from './clouds/cloud.ts'
import { ownClouds } from './clouds/own-clouds.ts'
import { publicClouds } from './clouds/public-clouds.ts'
import { below, byWeight, chance, diceOf, diceOfText, hex16, pick, roll, uuid } from './dice.ts'
import { epoch } from './life.ts'

const serversOnAHost = 50
const day = 86_400_000

/** A place where servers are: one zone of one account. All of it is made once. */
export interface Site {
  readonly cloud: Cloud
  readonly dice: number
  /** Of the account among all. */
  readonly number: number
  readonly account: string
  readonly account_id: string
  readonly region: string
  readonly cloudregion_id: string
  readonly region_ext_id: string
  readonly zone: string
  readonly zone_id: string
  readonly zone_ext_id: string
}

/** A cloud account that simulated servers are of. */
export interface SimulatedAccount {
  readonly id: string
  readonly name: string
  /** When Muster is to have met it first. */
  readonly attachedAt: number
}

export interface Host {
  readonly name: string
  readonly id: string
  readonly serial: string
  readonly status: string
  readonly service: string
}

/** Where the cloud does not show its hosts: all that is known is that it answers. */
const hidden: Host = { name: '', id: '', serial: '', status: 'running', service: 'online' }

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

/** Every cloud account that there is, of a seed. */
export const simulatedAccounts = (seed: number): readonly SimulatedAccount[] =>
  named.map(({ account: { name } }) => {
    const dice = diceOfText(seed, name)
    return { id: uuid(dice, 1), name, attachedAt: epoch - (40 + below(dice, 2, 1_000)) * day }
  })

/** Every account with its zones, and who uses which. */
export function createSites({ seed, servers }: Fleet) {
  const accounts: readonly (readonly Site[])[] = named.map(({ cloud, account }, number) => {
    const dice = diceOfText(seed, account.name)
    const common = { cloud, dice, number, account: account.name, account_id: uuid(dice, 1) }
    return account.regions.flatMap((region) =>
      region.zones.map((zone) => ({ ...common, ...placeOf(seed, account.name, region, zone) })),
    )
  })
  const hostsOfAccount = Math.max(2, Math.ceil(servers / named.length / serversOnAHost))

  /** A project has an account of choice and two more; a few servers are wherever they are. */
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
      name: `${site.zone}-${site.cloud.host_type === 'hypervisor' ? 'kvm' : site.cloud.host_type}-${String(number + 1).padStart(3, '0')}`,
      id: uuid(dice, 2),
      serial: `${site.cloud.serial}${hex16(roll(dice, 3))}${hex16(roll(dice, 4))}`.toUpperCase(),
      status,
      service: status === 'running' || status === 'maintaining' ? 'online' : 'offline',
    }
  }

  return {
    /** Cheap: it is asked of every server, where only those of one account are wanted. */
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
      // Hosts are numbered through an account; each stands in one of its zones.
      const number = below(dice, 3, hostsOfAccount)
      const site = sites[number % sites.length] as Site
      const standby = (number + sites.length) % hostsOfAccount
      return { site, host: describeHost(site, number), backup: describeHost(site, standby) }
    },
  }
}

function placeOf(seed: number, account: string, region: Region, zone: Zone) {
  return {
    region: region.name,
    cloudregion_id: uuid(diceOfText(seed, `${account} ${region.extId}`), 4),
    region_ext_id: region.extId,
    zone: zone.name,
    zone_id: uuid(diceOfText(seed, `${account} ${region.extId} ${zone.extId}`), 5),
    zone_ext_id: zone.extId,
  }
}
