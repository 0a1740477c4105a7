import type { Engine } from './engines.ts'
import { createOrganisation, type Organisation } from './personas.ts'
import { createSnapshots, type TakeSnapshot } from './snapshots.ts'
import { startPlatform, type TestPlatform } from './start-platform.ts'

export interface RunningOrganisation {
  readonly platform: TestPlatform
  readonly organisation: Organisation
  readonly takeSnapshot: TakeSnapshot
}

/** A platform with the organisation in it. Failed logins are not counted: there will be many. */
export async function startOrganisation(engine: Engine): Promise<RunningOrganisation> {
  const platform = await startPlatform({ engine, flags: ['--login-failures-per-minute=0'] })
  const organisation = await createOrganisation(platform)
  return { platform, organisation, takeSnapshot: await createSnapshots(platform.database) }
}
