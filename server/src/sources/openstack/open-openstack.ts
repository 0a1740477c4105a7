import type { Source, SourceContext, SourceSettings } from '../../domain/sources/source.ts'
import { findRegions } from './regions.ts'
import { getServer, scanRegions } from './scan-region.ts'
import { acquireSession } from './session.ts'
import { watchChanges } from './watch-changes.ts'

export async function openOpenStack(
  settings: SourceSettings,
  context: SourceContext,
  signal: AbortSignal,
): Promise<Source> {
  const { connection: session, release } = await acquireSession(settings, context, signal)
  try {
    const scopes = await session.keystone.findScopes(signal)
    // One project is enough: logging in to each of many would take too long here.
    const { regions } = await findRegions(session, scopes, signal, true)
    const { host } = new URL(session.settings.authUrl)
    return {
      title: `OpenStack at ${host}, ${regions.length === 1 ? regions[0] : `${regions.length} regions`}`,
      async *scan(stop) {
        const current = await session.keystone.findScopes(stop)
        const found = await findRegions(session, current, stop)
        const areRegionsGiven = session.settings.regions.length > 0
        yield { present: [], gone: [], regions: found.regions, areRegionsGiven }
        yield* scanRegions(session, found, stop)
      },
      get: (reference, stop) => getServer(session, reference, stop),
      watch: (stop) => watchChanges(session, context.clock, stop),
      close: release,
    }
  } catch (error) {
    await release()
    throw error
  }
}
