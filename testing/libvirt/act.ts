import type { SourceCall } from '../../server/src/domain/sources/action-port.ts'
import type { ReportedFacts, SourceSettings } from '../../server/src/domain/sources/source.ts'
import { libvirtKind } from '../../server/src/sources/libvirt/libvirt-kind.ts'
import { actOn, readUntil } from '../../server/src/testing/inventory-world/act-on-source.ts'
import { referTo } from '../../server/src/testing/inventory-world/server-reference.ts'

export const settingsFor = (address: string): SourceSettings => ({
  address,
  credentials: {},
  options: {},
})

/** Acts on a guest of the daemon at this address. */
export const act = (address: string, call: SourceCall, id: string): Promise<void> =>
  actOn(libvirtKind, settingsFor(address), call, referTo(id))

/** Waits until the reading port shows it. */
export async function waitForFacts(
  address: string,
  id: string,
  isSo: (facts: ReportedFacts | undefined) => boolean,
): Promise<ReportedFacts | undefined> {
  const server = await readUntil(libvirtKind, settingsFor(address), referTo(id), (found) =>
    isSo(found?.facts),
  )
  return server?.facts
}

/** What Muster reads of a guest; undefined if it is gone. */
export const readFacts = (address: string, id: string) => waitForFacts(address, id, () => true)

export const waitForStatus = (address: string, id: string, status: string) =>
  waitForFacts(address, id, (facts) => facts?.status === status)
