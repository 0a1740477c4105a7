import { SourceError } from '../../domain/sources/source-error.ts'
import {
  attributeOf,
  childOf,
  childrenOf,
  parseXml,
  textOf,
  type XmlElement,
} from '../shared/parse-xml.ts'
import type { Calls } from './calls.ts'
import { unlessAbsent } from './tolerated-errors.ts'
import { activePoolsOnly, xmlFlags } from './protocol.ts'
import type { DomainHandle, VolumeHandle } from './records.ts'

/** Pools that belong to this host. Domains of other hosts may use the volumes of others. */
const localPools: ReadonlySet<string> = new Set(['dir', 'fs', 'logical', 'disk', 'zfs'])

interface Volume {
  readonly handle: VolumeHandle
  readonly path: string
  /** The volume that it is based on; empty if there is none. */
  readonly base: string
  readonly isLocal: boolean
}

async function readVolumes(calls: Calls): Promise<readonly Volume[]> {
  // Other errors are thrown, because otherwise the disks would remain unnoticed.
  const pools = (await unlessAbsent(calls.pools(activePoolsOnly))) ?? []
  const volumes = await Promise.all(
    pools.map(async (pool): Promise<(Volume | undefined)[]> => {
      const isLocal = localPools.has(attributeOf(await calls.poolXml(pool), 'type'))
      return await Promise.all(
        (await calls.volumes(pool)).map(async (handle) => {
          const text = await calls.volumeXml(handle)
          const xml = text === undefined ? undefined : parseXml(text)
          const path = textOf(xml, 'target', 'path')
          return xml && { handle, path, base: textOf(xml, 'backingStore', 'path'), isLocal }
        }),
      )
    }),
  )
  return volumes.flat().filter((volume) => volume !== undefined)
}

const disksOf = (domain: XmlElement) => childrenOf(childOf(domain, 'devices'), 'disk')
const pathOf = (source: XmlElement | undefined) =>
  attributeOf(source, 'file') || attributeOf(source, 'dev')

/** The volume of a disk, by its path or by the names of pool and volume. */
const volumeOf = (disk: XmlElement, volumes: readonly Volume[]): Volume | undefined => {
  const source = childOf(disk, 'source')
  const [path, pool, name] = [
    pathOf(source),
    attributeOf(source, 'pool'),
    attributeOf(source, 'volume'),
  ]
  return volumes.find(({ handle, ...volume }) =>
    path === '' ? handle.pool === pool && handle.name === name : volume.path === path,
  )
}

/** Every attribute and text: a path also counts as used as a kernel or in a backing chain. */
function* valuesOf({ attributes, text, children }: XmlElement): Generator<string> {
  yield* attributes.values()
  yield text.trim()
  for (const child of children) yield* valuesOf(child)
}

/** libvirt does not tell what an image is based on that is in no pool, while its domain is stopped. */
const hasUnknownBase = (disk: XmlElement, volumes: readonly Volume[]) =>
  pathOf(childOf(disk, 'source')) !== '' &&
  !['', 'raw'].includes(attributeOf(childOf(disk, 'driver'), 'type')) &&
  childOf(disk, 'backingStore') === undefined &&
  volumeOf(disk, volumes) === undefined

const isOwn = (disk: XmlElement) =>
  ['', 'disk', 'lun'].includes(attributeOf(disk, 'device')) &&
  childOf(disk, 'readonly') === undefined &&
  childOf(disk, 'shareable') === undefined

async function readDomain(calls: Calls, domain: DomainHandle, flags: number) {
  const text = await calls.domainXml(domain, flags)
  return text === undefined ? undefined : parseXml(text)
}

/**
 * The volumes that belong to this domain alone: in a pool of this host, writable, not shareable, and not used by
 * another domain or as the base of another volume.
 */
export async function findDeletableVolumes(
  calls: Calls,
  domain: DomainHandle,
): Promise<readonly VolumeHandle[]> {
  const [own, domains, volumes] = await Promise.all([
    readDomain(calls, domain, xmlFlags.inactive),
    calls.domains(),
    readVolumes(calls),
  ])
  const others = domains.filter(({ uuid }) => uuid !== domain.uuid)
  const used = new Set(volumes.map(({ base }) => base))
  for (const other of others) {
    const current = await readDomain(calls, other, 0)
    const configured = await readDomain(calls, other, xmlFlags.inactive)
    for (const xml of [current, configured]) {
      if (!xml) continue
      for (const value of valuesOf(xml)) used.add(value)
      for (const disk of disksOf(xml)) used.add(volumeOf(disk, volumes)?.path ?? '')
    }
    const stopped = other.id === -1 && current ? disksOf(current) : []
    if (stopped.some((disk) => hasUnknownBase(disk, volumes))) return []
  }
  if (!own) throw new SourceError('failed', 'libvirt no longer has the domain.')
  return disksOf(own)
    .filter(isOwn)
    .flatMap((disk) => volumeOf(disk, volumes) ?? [])
    .filter(({ path, isLocal }) => isLocal && !used.has(path))
    .map(({ handle }) => handle)
}
