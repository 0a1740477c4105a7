import type {
  ReportedFacts,
  ReportedNetwork,
  ReportedResources,
  ReportedServer,
} from '@muster/server/source-port'
import { factsAfter, type ActedServer } from './acted-server.ts'
import { describeServer, serverKey } from './describe-server.ts'
import { diceOf, joined } from './random-hash.ts'
import { externalIdOf, possibleIndexOf } from './external-ids.ts'
import { createCalendar, startTime, tickLength, tickOf, type Life } from './lifecycle.ts'
import { networksOf } from './networks.ts'
import { nameOf, purposeOf } from './purposes.ts'
import { createResizer } from './resize.ts'
import { createSites } from './sites.ts'
import { stateOf } from './status.ts'
import { describeSites, regionsOf } from './to-resources.ts'

export interface SimulatedFleet {
  readonly seed: number
  readonly servers: number
  /** Ids of the owners. Each has an equal share of the servers, in order. */
  readonly tenants: readonly string[]
  /** Only servers of this cloud account; undefined for all. */
  readonly cloudAccount?: string | undefined
}

/**
 * A simulated fleet. A server is a pure function of the seed, its index and the time, so any part
 * can be generated without the rest.
 */
export function createSimulator({ seed, servers, tenants, cloudAccount }: SimulatedFleet) {
  if (tenants.length === 0) throw new RangeError('a fleet needs a tenant to belong to')
  const sites = createSites({ seed, servers })
  const calendar = createCalendar(servers)

  const diceOfServer = (index: number) => diceOf(seed, index)
  const lifeOf = (index: number, time: number) => calendar.lifeOf(index, diceOfServer(index), time)
  const stateWith = (index: number, life: Life) => stateOf(seed, index, diceOfServer(index), life)

  /** The clouds call a tenant a project. */
  const projectOf = (index: number) => Math.floor((index * tenants.length) / servers)
  const inProject = (index: number, project: number) =>
    index - Math.ceil((project * servers) / tenants.length)
  const accountOf = (index: number) => sites.accountOf(projectOf(index), diceOfServer(index))

  function describe(index: number, time = startTime): ReportedFacts {
    const project = projectOf(index)
    const life = lifeOf(index, time)
    return describeServer({
      seed,
      index,
      dice: diceOfServer(index),
      project,
      inProject: inProject(index, project),
      life,
      state: stateWith(index, life),
      sites,
    })
  }

  const isGone = (index: number, time = startTime): boolean =>
    stateWith(index, lifeOf(index, time)).isGone

  /**
   * The facts of a server, including the effects of requests; undefined if it does not exist at that time.
   */
  function factsAt(index: number, time: number, acted?: ActedServer): ReportedFacts | undefined {
    if (acted?.change) return factsAfter(acted.change, describe(index, time), time)
    return isGone(index, time) ? undefined : describe(index, time)
  }

  /** Like in the description, but cheaper. */
  function readExternalId(index: number): string {
    const dice = diceOfServer(index)
    const name = nameOf(dice, purposeOf(dice), inProject(index, projectOf(index)))
    return externalIdOf({ index, dice, account: accountOf(index), name })
  }

  const isSelected = (index: number) =>
    cloudAccount === undefined || accountOf(index).account === cloudAccount

  function indexOf(externalId: string): number | undefined {
    const index = possibleIndexOf(seed, externalId)
    const isThere = index >= 0 && index < servers && isSelected(index)
    return isThere && readExternalId(index) === externalId ? index : undefined
  }

  function tenantOf(index: number): NonNullable<ReportedServer['tenant']> {
    const id = tenants[projectOf(index)] ?? ''
    return { id, name: joined(accountOf(index).account, '/', id.slice(0, 8)) }
  }

  function* changedIn(from: number, to: number): Generator<number> {
    // After a whole period every server has changed.
    if (to - from > calendar.period) {
      for (let index = 0; index < servers; index += 1) yield index
      return
    }
    for (let tick = from; tick <= to; tick += 1) yield* calendar.beginningAt(tick)
  }

  return {
    servers,
    /** Milliseconds until every server has changed once. */
    period: calendar.period * tickLength,
    /** Describes a server, whether or not it exists at that time. */
    describe,
    isGone,
    factsAt,
    isSelected,
    externalIdOf: readExternalId,
    /** The server with this id, whether or not it exists now; undefined if there is none. */
    indexOf,
    resizerOf: (index: number) => createResizer(seed, accountOf(index)),
    tenantOf,
    keyOf: (index: number) => serverKey(seed, index),
    /** Regions, zones, hosts, images and flavors, one account after the other; only of one if it is given. */
    *sitesOf(account: string | undefined): Generator<ReportedResources> {
      for (const some of sites.accounts(account))
        yield describeSites(seed, some, sites.hostsOf(some))
    },
    /** The networks of the projects that begin with one of these servers. */
    networksOf(from: number, to: number, account: string | undefined): readonly ReportedNetwork[] {
      const first = from === 0 ? 0 : projectOf(from - 1) + 1
      const projects = Array.from(
        { length: projectOf(to - 1) + 1 - first },
        (_, number) => first + number,
      )
      return projects.flatMap((project) =>
        sites
          .accounts(account)
          .flatMap(regionsOf)
          .flatMap((site) => networksOf(site, project)),
      )
    },
    accountNameOf: (index: number): string => accountOf(index).account,

    /** The servers that changed after one time and up to another. */
    *changedBetween(from: number, to: number): Generator<number> {
      // A change that began in the previous tick may end in the first one.
      for (const index of new Set(changedIn(tickOf(from), tickOf(to)))) {
        const [before, after] = [lifeOf(index, from), lifeOf(index, to)]
        const { takesTime } = stateWith(index, after)
        const hasBegun = after.changes > before.changes
        const hasEnded = takesTime && before.isMoving && !after.isMoving
        if (hasBegun || hasEnded) yield index
      }
    },
  }
}
