import type { SeenServer, SourceNews } from '../../domain/sources/source.ts'
import { describeInstance, keyOf } from './describe-instance.ts'
import { findInstance } from './find-instance.ts'
import type { Line } from './line.ts'
import { listInstances, type OwnedInstance } from './list-instances.ts'
import { createRegionBook, type LastingBook } from './region-book.ts'

/** EC2 shows an instance for an hour after its end. */
const hasEnded = ({ instance }: OwnedInstance) => instance.State?.Name === 'terminated'

/** Everything that there is in a region. */
export async function* scanRegion(
  line: Line,
  lasting: LastingBook,
  signal: AbortSignal,
): AsyncGenerator<SourceNews> {
  const book = createRegionBook(line, lasting)
  for await (const page of listInstances(line, signal)) {
    const here = page.filter((owned) => !hasEnded(owned))
    await book.learn(
      here.map(({ instance }) => instance),
      signal,
    )
    yield {
      present: here.map((owned) => describeInstance(owned, line.region, book)),
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
): Promise<SeenServer | undefined> {
  const owned = await findInstance(line, id, signal)
  if (!owned || hasEnded(owned)) return undefined
  const book = createRegionBook(line, lasting)
  await book.learn([owned.instance], signal)
  return describeInstance(owned, line.region, book)
}
