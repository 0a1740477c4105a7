import type { ReportedServer, SourceUpdate, UnreadableServer } from '../../domain/sources/source.ts'
import { unreadableServer } from '../../domain/sources/unreadable-server.ts'
import { describeInstance, keyOf } from './describe-instance.ts'
import { findInstance } from './find-instance.ts'
import type { Line } from './line.ts'
import { listInstances, type OwnedInstance } from './list-instances.ts'
import { createRegionBook, type LastingBook, type RegionBook } from './region-book.ts'
import { nameOf } from './tags.ts'

/** EC2 shows an instance for an hour after its end. */
const hasEnded = ({ instance }: OwnedInstance) => instance.State?.Name === 'terminated'

/** An instance as a server, or why it cannot be read. */
function readInstance(
  owned: OwnedInstance,
  region: string,
  book: RegionBook,
): ReportedServer | UnreadableServer {
  const key = keyOf(owned, region)
  try {
    if (owned.problem) throw owned.problem
    return describeInstance(owned, region, book)
  } catch (error) {
    const { InstanceId = '', Tags } = owned.instance
    return unreadableServer(key, nameOf(Tags, InstanceId), error)
  }
}

/** Everything that there is in a region. */
export async function* scanRegion(
  line: Line,
  lasting: LastingBook,
  signal: AbortSignal,
): AsyncGenerator<SourceUpdate> {
  const book = createRegionBook(line, lasting)
  for await (const page of listInstances(line, signal)) {
    const here = page.filter((owned) => !hasEnded(owned))
    await book.learn(
      here.map(({ instance }) => instance),
      signal,
    )
    const servers = here.map((owned) => readInstance(owned, line.region, book))
    yield {
      present: servers.filter((server) => 'facts' in server),
      unreadable: servers.filter((server) => 'reason' in server),
      gone: page.filter(hasEnded).map((owned) => keyOf(owned, line.region)),
    }
  }
}

/** One instance of a region, told just as a scan would. */
export async function lookInRegion(
  line: Line,
  lasting: LastingBook,
  id: string,
  signal: AbortSignal,
): Promise<ReportedServer | UnreadableServer | undefined> {
  const owned = await findInstance(line, id, signal)
  if (!owned || hasEnded(owned)) return undefined
  const book = createRegionBook(line, lasting)
  await book.learn([owned.instance], signal)
  return readInstance(owned, line.region, book)
}
