import { SourceError } from '../../domain/sources/source-error.ts'
import type { ReportedServer, SourceUpdate, UnreadableServer } from '../../domain/sources/source.ts'
import { unreadableServer } from '../../domain/sources/unreadable-server.ts'
import type { Calls } from './calls.ts'
import { ifPossible } from './tolerated-errors.ts'
import { passedDevices } from './devices.ts'
import { createSizeFinder, type FindSizes } from './disk-sizes.ts'
import { sizedTargets } from './disks.ts'
import type { Host } from './host.ts'
import { childOf, parseXml, type XmlElement } from '../shared/parse-xml.ts'
import { LibvirtError, type DomainHandle, type TypedParameters } from './records.ts'
import { isShutOff } from './status.ts'
import type { HostResources } from './host-resources.ts'
import { keyOf, toServer, type DomainDetails } from './to-server.ts'

export interface ReadDomain {
  readonly domain: Pick<DomainHandle, 'uuid' | 'name'>
  /** Undefined if the domain no longer exists; an error if the daemon fails, which says nothing about the domain. */
  readonly server: ReportedServer | UnreadableServer | LibvirtError | undefined
}

const noState = new SourceError('incomplete', 'libvirt did not return the state of the domain.')

interface Means {
  readonly calls: Calls
  readonly findSizes: FindSizes
}

/** Sorts read domains into present and unreadable ones. */
export function toUpdate(found: readonly ReadDomain[]): Omit<SourceUpdate, 'gone'> {
  const servers = found.flatMap(({ server }) => server ?? [])
  return {
    present: servers.filter((server) => 'facts' in server),
    unreadable: servers.filter((server) => 'reason' in server),
  }
}

/** Reads domains in chunks and caches what does not change. */
export function createDomainReader(host: Host, group: string, address: string) {
  /** The address is part of the key: two hosts could report the same UUID. */
  const daemon = [address, host.uuid]
  const nodeDevices = new Map<string, XmlElement>()

  async function findNodeDevices(calls: Calls, devices: XmlElement | undefined) {
    for (const { nodeDevice } of passedDevices(devices)) {
      if (nodeDevice === '' || nodeDevices.has(nodeDevice)) continue
      const xml = await ifPossible(calls.nodeDeviceXml(nodeDevice))
      if (xml !== undefined) nodeDevices.set(nodeDevice, parseXml(xml))
    }
    return nodeDevices
  }

  /** Reads one domain; undefined if it is gone. */
  async function find(
    { calls, findSizes }: Means,
    domain: DomainHandle,
    parameters: TypedParameters | SourceError,
    isTransient: boolean,
  ): Promise<DomainDetails | undefined> {
    const { uuid } = domain
    const text = await calls.domainXml(domain)
    if (text === undefined) return undefined
    if (parameters instanceof SourceError) throw parameters
    const state = Number(parameters.get('state.state') ?? 0)
    if (isTransient && isShutOff(state)) return undefined
    const xml = parseXml(text)
    const devices = childOf(xml, 'devices')
    return {
      uuid,
      xml,
      state,
      reason: Number(parameters.get('state.reason') ?? 0),
      isTransient,
      ...(await findSizes(domain, parameters, sizedTargets(devices))),
      nodeDevices: await findNodeDevices(calls, devices),
    }
  }

  /**
   * State and disks of domains, or the error of each. If the call for all fails, it is made for
   * each.
   */
  async function findStats(
    calls: Calls,
    domains: readonly DomainHandle[],
    failures: SourceError[],
  ): Promise<ReadonlyMap<string, TypedParameters | SourceError>> {
    try {
      return await calls.stats(domains)
    } catch (error) {
      await calls.requireConnection(error)
      if (!(error instanceof SourceError)) throw error
      // Further calls would only wait, too.
      const isSingle = domains.length === 1 || error.kind === 'timeout'
      const found = await Promise.all(
        domains.map(async (domain) =>
          isSingle
            ? new Map([[domain.uuid, await findState(calls, domain, error, failures)]])
            : await findStats(calls, [domain], failures),
        ),
      )
      return new Map(found.flatMap((stats) => [...stats]))
    }
  }

  /** Another call tells the state, without the sizes of disks. */
  async function findState(
    calls: Calls,
    domain: DomainHandle,
    error: SourceError,
    failures: SourceError[],
  ): Promise<TypedParameters | SourceError> {
    const found = await calls.domainState(domain).catch(() => undefined)
    if (!found) return error
    failures.push(error)
    return new Map(Object.entries({ 'state.state': found.state, 'state.reason': found.reason }))
  }

  return {
    group,
    /** Create one for each scan or refresh. It adds the errors of details that are missing. */
    begin(calls: Calls, failures: SourceError[] = []) {
      const findSizes = createSizeFinder(calls, daemon)
      return async function read(
        domains: readonly DomainHandle[],
        hostResources: HostResources,
        isTransient: (domain: DomainHandle) => Promise<boolean>,
      ): Promise<readonly ReadDomain[]> {
        // With an empty list libvirt returns all domains.
        if (domains.length === 0) return []
        const stats = await findStats(calls, domains, failures)

        async function readOne(domain: DomainHandle) {
          try {
            const parameters = stats.get(domain.uuid) ?? noState
            const passing = await isTransient(domain)
            const seen = await find({ calls, findSizes }, domain, parameters, passing)
            return seen && toServer(seen, { group, host, hostResources })
          } catch (error) {
            await calls.requireConnection(error)
            if (error instanceof LibvirtError) return error
            return unreadableServer(keyOf(group, domain.uuid), domain.name, error)
          }
        }
        return await Promise.all(
          domains.map(async (domain) => ({ domain, server: await readOne(domain) })),
        )
      }
    },
  }
}
export type DomainReader = ReturnType<typeof createDomainReader>
