import { consoleFolder } from '../../server/src/composition/console-folder.ts'
import { buildConsole } from '../../server/src/composition/build-console.ts'
import { computeStamp, readStamp } from '../../server/src/composition/console-stamp.ts'
import type { ProgressOutput } from '../../server/src/demo-port.ts'
import { repository } from '../../server/src/testing/spawn-muster.ts'

/** Builds the console if the build is missing or stale, so that tests run the current sources. */
export async function readyConsole(output: ProgressOutput): Promise<void> {
  const wanted = computeStamp(repository)
  await buildConsole({ repository, folder: consoleFolder }, output)
  const built = readStamp(consoleFolder)
  if (built !== wanted && built !== computeStamp(repository)) {
    throw new Error('the console could not be built')
  }
}
