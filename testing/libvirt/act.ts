import assert from 'node:assert/strict'
import type { ServerActor, SourceCall } from '../../server/src/domain/sources/action-port.ts'
import type { ReportedFacts, SourceSettings } from '../../server/src/domain/sources/source.ts'
import { libvirtKind } from '../../server/src/sources/libvirt/libvirt-kind.ts'
import {
  getReadable,
  testTimeout,
  waitFor,
  withSource,
  conformanceContext,
} from '../../server/src/testing/inventory-world/scan-source.ts'
import { referTo } from '../../server/src/testing/inventory-world/server-reference.ts'

export const settingsFor = (address: string): SourceSettings => ({
  address,
  credentials: {},
  options: {},
})

/** Opens a connection that may change guests, uses it and closes it. */
export async function withActor<Result>(
  settings: SourceSettings,
  use: (actor: ServerActor) => Promise<Result>,
): Promise<Result> {
  const { acting } = libvirtKind
  assert.ok(acting)
  const actor = await acting.open(settings, conformanceContext, testTimeout())
  try {
    return await use(actor)
  } finally {
    await actor.close()
  }
}

export const act = (address: string, call: SourceCall, id: string): Promise<void> =>
  withActor(settingsFor(address), (actor) => actor.act(call, referTo(id), testTimeout()))

/** What Muster reads of a guest; undefined if it is gone. */
export const readFacts = (address: string, id: string): Promise<ReportedFacts | undefined> =>
  withSource(
    libvirtKind,
    settingsFor(address),
    async (source) => (await getReadable(source, referTo(id)))?.facts,
  )

/** Waits until the reading port shows it. */
export const waitForFacts = (
  address: string,
  id: string,
  isSo: (facts: ReportedFacts) => boolean,
): Promise<ReportedFacts> =>
  waitFor(async () => {
    const facts = await readFacts(address, id)
    return facts && isSo(facts) ? facts : undefined
  }, `another state of ${id}`)

export const waitForStatus = (address: string, id: string, status: string) =>
  waitForFacts(address, id, (facts) => facts.status === status)
