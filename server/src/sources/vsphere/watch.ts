import { SourceError } from '../../domain/sources/source-error.ts'
import type { SourceUpdate } from '../../domain/sources/source.ts'
import { childOf, childrenOf, textOf, type XmlElement } from '../shared/parse-xml.ts'
import type { Connection } from './connection.ts'
import { compareIds } from './identities.ts'
import { machineProperties } from './machine.ts'
import { createView, requireRef, valuesOf, viewFilter } from './property-collector.ts'
import { checkAllMissing, readMachines } from './read-machines.ts'
import { escapeXml, isTrue, type ObjectRef } from './soap.ts'

/**
 * Properties that change whenever a server does. vSphere raises the version with every change of the configuration, so
 * most of the configuration itself is not watched. The whole machine is read again after a change.
 */
const watched = {
  VirtualMachine: [
    ...machineProperties.filter((property) => !property.startsWith('config.')),
    'config.changeVersion',
    'config.template',
    'config.instanceUuid',
  ],
}
/** vSphere returns no more, whatever is requested. */
const maxUpdates = 100
/** Rounds of one change, each with at most 100 machines. More than any vCenter has. */
const maxRounds = 2_000

interface Change {
  readonly ref: ObjectRef
  readonly hasLeft: boolean
  readonly properties: ReadonlyMap<string, XmlElement>
}

const changesOf = (updateSet: XmlElement | undefined, host: string): readonly Change[] =>
  childrenOf(updateSet, 'filterSet')
    .flatMap((filter) => childrenOf(filter, 'objectSet'))
    .map((update) => ({
      ref: requireRef(childOf(update, 'obj'), host),
      hasLeft: textOf(update, 'kind') === 'leave',
      properties: valuesOf(childrenOf(update, 'changeSet')),
    }))

/** If most machines are missing at once, a scan follows, and Muster holds them. */
function requireFew(left: readonly ObjectRef[], known: readonly string[], host: string): void {
  const removed = left.filter(({ id }) => known.includes(id)).length
  if (removed > 1 && removed * 2 > known.length)
    throw new SourceError('incomplete', `${host} does not list most virtual machines any more.`)
}

/** Reports changes of virtual machines. Ends with an error if the session ends. */
export async function* watchMachines(
  connection: Connection,
  timeLimit: number,
  signal: AbortSignal,
): AsyncGenerator<SourceUpdate> {
  const { session, identities } = connection
  const api = session.until(signal)
  /** One of its own, so that it can be cancelled without affecting scans. */
  let collector: ObjectRef | undefined
  let view: ObjectRef | undefined
  const seconds = Math.max(1, Math.floor(timeLimit / 2_000))
  const options = `<options><maxWaitSeconds>${seconds}</maxWaitSeconds><maxObjectUpdates>${maxUpdates}</maxObjectUpdates></options>`
  let version = ''
  let isTruncated = true
  let rounds = 0

  /** Waits for the next changes; none if there were none for some time. */
  async function wait(self: ObjectRef): Promise<readonly Change[]> {
    const parameters = `<version>${escapeXml(version)}</version>${options}`
    const response = await api.call('WaitForUpdatesEx', self, parameters)
    const updateSet = childOf(response, 'returnval')
    version = textOf(updateSet, 'version') || version
    isTruncated = isTrue(updateSet, 'truncated')
    rounds = isTruncated ? rounds + 1 : 0
    if (rounds > maxRounds) {
      throw new SourceError('incomplete', `${api.host} sends updates without end.`)
    }
    return changesOf(updateSet, api.host)
  }

  try {
    collector = await api.create('CreatePropertyCollector', api.manager('propertyCollector'))
    view = await createView(api, ['VirtualMachine'])
    const filter = `<spec>${viewFilter(watched, view)}</spec><partialUpdates>false</partialUpdates>`
    await api.create('CreateFilter', collector, filter)
    // The present state comes first. Only the ids are of interest: a scan reads the rest.
    while (isTruncated) {
      for (const { ref, properties } of await wait(collector)) {
        if (properties.get('config.template')?.text === 'true') continue
        const text = (path: string) => properties.get(path)?.text.trim() ?? ''
        identities.add(ref.id, text('config.instanceUuid'), text('name'))
      }
    }
    yield { present: [], gone: [] }
    while (!signal.aborted) {
      // Of several changes of one machine, the last one counts.
      const latest = new Map<string, Change>()
      do for (const change of await wait(collector)) latest.set(change.ref.id, change)
      while (isTruncated)
      const changes = [...latest.values()].toSorted((one, other) =>
        compareIds(one.ref.id, other.ref.id),
      )
      const refsOf = (hasLeft: boolean) =>
        changes.filter((change) => change.hasLeft === hasLeft).map(({ ref }) => ref)
      if (changes.length === 0) continue
      requireFew(refsOf(true), identities.ids(), api.host)
      yield await checkAllMissing(connection, refsOf(true), signal)
      yield await readMachines(connection, refsOf(false), signal)
    }
  } finally {
    // Without it, vSphere computes changes until the session ends.
    if (collector) await api.destroy('DestroyPropertyCollector', collector)
    if (view) await api.destroy('DestroyView', view)
  }
}
