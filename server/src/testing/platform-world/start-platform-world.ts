import type { Engine } from '../engines.ts'
import { createPlatformWorld, type PlatformWorld } from './create-platform-world.ts'
import { createSnapshots, type TakeSnapshot } from './snapshots.ts'
import { startPlatform, type TestPlatform } from '../start-platform.ts'

export interface RunningPlatformWorld {
  readonly platform: TestPlatform
  readonly organisation: PlatformWorld
  readonly takeSnapshot: TakeSnapshot
}

/** A platform with the organisation in it. Failed logins are not counted: there will be many. */
export async function startPlatformWorld(engine: Engine): Promise<RunningPlatformWorld> {
  const platform = await startPlatform({ engine, flags: ['--login-failures-per-minute=0'] })
  const organisation = await createPlatformWorld(platform)
  return { platform, organisation, takeSnapshot: await createSnapshots(platform.database) }
}
