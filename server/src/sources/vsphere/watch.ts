import { SourceError } from '../../domain/sources/source-error.ts'
import type { SourceUpdate } from '../../domain/sources/source.ts'
import { childOf, childrenOf, textOf, type XmlElement } from '../shared/parse-xml.ts'
import type { Connection } from './connection.ts'
import { compareIds } from './identities.ts'
import { createView, valuesOf, viewFilter } from './property-collector.ts'
import { checkAllMissing, readMachines } from './read-machines.ts'
import { requireManager, type Session } from './session.ts'
import { escapeXml, isTrue, refOf, type ObjectRef } from './soap.ts'

/**
 * Small properties that change whenever a server does: vSphere raises the version with every change of the
 * configuration. The whole machine is read again after a change.
 */
const watched = {
  VirtualMachine: [
    'name',
    'parent',
    'resourcePool',
    'customValue',
    'snapshot',
    'config.changeVersion',
    'config.template',
    'config.instanceUuid',
    'runtime.powerState',
    'runtime.connectionState',
    'runtime.host',
    'guest.hostName',
    'guest.ipAddress',
    'guest.net',
    'guest.guestFullName',
    'guest.toolsRunningStatus',
    'guest.toolsVersionStatus2',
  ],
}
/** vSphere returns no more, whatever is requested. */
const maxUpdates = 100
const closingTime = 2_000

/** Creates a collector of its own, so that it can be cancelled without affecting scans. */
async function createCollector(session: Session, signal: AbortSignal): Promise<ObjectRef> {
  const { service, host } = session
  const response = await session.call(
    {
      method: 'CreatePropertyCollector',
      self: requireManager(service, 'propertyCollector', host),
    },
    signal,
  )
  const collector = refOf(childOf(response, 'returnval'))
  if (!collector)
    throw new SourceError('invalid-response', `${host} created no property collector.`)
  const view = await createView(session, ['VirtualMachine'], signal)
  const filter = `<spec>${viewFilter(watched, view)}</spec><partialUpdates>false</partialUpdates>`
  await session.call({ method: 'CreateFilter', self: collector, parameters: filter }, signal)
  return collector
}

interface Change {
  readonly ref: ObjectRef
  readonly hasLeft: boolean
  readonly properties: ReadonlyMap<string, XmlElement>
}

function changesOf(updateSet: XmlElement | undefined, host: string): readonly Change[] {
  const filters = childrenOf(updateSet, 'filterSet')
  return filters
    .flatMap((filter) => childrenOf(filter, 'objectSet'))
    .map((update) => {
      const ref = refOf(childOf(update, 'obj'))
      if (!ref) throw new SourceError('invalid-response', `${host} reports a change of nothing.`)
      return {
        ref,
        hasLeft: textOf(update, 'kind') === 'leave',
        properties: valuesOf(childrenOf(update, 'changeSet')),
      }
    })
}

/** Reports changes of virtual machines. Ends with an error if the session ends. */
export async function* watchMachines(
  connection: Connection,
  timeLimit: number,
  signal: AbortSignal,
): AsyncGenerator<SourceUpdate> {
  const { session, identities } = connection
  const collector = await session.run(() => createCollector(session, signal), signal)
  let version = ''

  /** Waits for the next changes; none if there were none for some time. */
  async function wait(): Promise<readonly Change[]> {
    const seconds = Math.max(1, Math.floor(timeLimit / 2_000))
    const response = await session.call(
      {
        method: 'WaitForUpdatesEx',
        self: collector,
        parameters: `<version>${escapeXml(version)}</version><options><maxWaitSeconds>${seconds}</maxWaitSeconds><maxObjectUpdates>${maxUpdates}</maxObjectUpdates></options>`,
        timeLimit,
      },
      signal,
    )
    const updateSet = childOf(response, 'returnval')
    const next = textOf(updateSet, 'version')
    if (next !== '') version = next
    isTruncated = isTrue(updateSet, 'truncated')
    return changesOf(updateSet, session.host)
  }

  let isTruncated = true
  try {
    // The present state comes first. Only the ids are of interest: a scan reads the rest.
    while (isTruncated) {
      for (const { ref, properties } of await wait()) {
        if (properties.get('config.template')?.text === 'true') continue
        const text = (path: string) => properties.get(path)?.text.trim() ?? ''
        identities.add(ref.id, text('config.instanceUuid'), text('name'))
      }
    }
    if (version === '')
      throw new SourceError('invalid-response', `${session.host} reports no version of its state.`)
    yield { present: [], gone: [] }
    while (!signal.aborted) {
      const latest = new Map((await wait()).map((change) => [change.ref.id, change]))
      if (latest.size === 0) continue
      const changes = [...latest.values()].toSorted((one, other) =>
        compareIds(one.ref.id, other.ref.id),
      )
      const refsOf = (hasLeft: boolean) =>
        changes.filter((change) => change.hasLeft === hasLeft).map(({ ref }) => ref)
      const left = await checkAllMissing(connection, refsOf(true), signal)
      const read = await readMachines(connection, refsOf(false), signal)
      yield {
        present: read.present,
        gone: [...left.gone, ...read.gone],
        unreadable: [...left.unreadable, ...read.unreadable],
      }
    }
  } finally {
    // Without it, vSphere computes changes until the session ends.
    await session
      .call(
        { method: 'DestroyPropertyCollector', self: collector },
        AbortSignal.timeout(closingTime),
      )
      .catch(() => {})
  }
}
