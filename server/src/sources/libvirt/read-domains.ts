import { SourceError } from '../../domain/sources/source-error.ts'
import type { SeenServer } from '../../domain/sources/source.ts'
import { ifPossible, type Calls } from './calls.ts'
import { passedDevices } from './devices.ts'
import { createSizeFinder, type FindSizes } from './disk-sizes.ts'
import { sizedTargets } from './disks.ts'
import type { Host } from './host.ts'
import { childOf, parseXml, type XmlElement } from './parse-xml.ts'
import type { DomainHandle, TypedParameters } from './records.ts'
import { isShutOff } from './status.ts'
import type { Surroundings } from './surroundings.ts'
import { toServer, type SeenDomain } from './to-server.ts'

export interface ReadDomain {
  readonly uuid: string
  /** Undefined where there is no such domain any more. */
  readonly server: SeenServer | undefined
}

interface Means {
  readonly calls: Calls
  readonly findSizes: FindSizes
}

/** Asks about domains, many at once, and remembers what does not change. */
export function createDomainReader(host: Host, group: string, address: string) {
  /** One may claim to be the host that another is: what is known of them is not mixed. */
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

  /** What libvirt tells of a domain; undefined where it is gone. */
  async function find(
    { calls, findSizes }: Means,
    domain: DomainHandle,
    parameters: TypedParameters | undefined,
    isTransient: boolean,
  ): Promise<SeenDomain | undefined> {
    const { uuid, name } = domain
    const text = await calls.domainXml(domain)
    if (text === undefined) return undefined
    if (!parameters) throw new SourceError('incomplete', `It does not tell the state of ${name}.`)
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
      capacities: await findSizes(domain, parameters, sizedTargets(devices)),
      nodeDevices: await findNodeDevices(calls, devices),
    }
  }

  return {
    /** For one scan, or another look around. */
    begin(calls: Calls) {
      const findSizes = createSizeFinder(calls, daemon)
      return async function read(
        domains: readonly DomainHandle[],
        surroundings: Surroundings,
        isTransient: (domain: DomainHandle) => boolean,
      ): Promise<readonly ReadDomain[]> {
        // Asked for none, libvirt tells of all.
        if (domains.length === 0) return []
        const stats = await calls.stats(domains)
        return await Promise.all(
          domains.map(async (domain) => {
            const { uuid } = domain
            const parameters = stats.get(uuid)
            const seen = await find({ calls, findSizes }, domain, parameters, isTransient(domain))
            return { uuid, server: seen && toServer(seen, { group, host, surroundings }) }
          }),
        )
      }
    },
  }
}
export type DomainReader = ReturnType<typeof createDomainReader>
