import { SourceError } from './source-error.ts'
import type { FailedPart } from './source.ts'

/** Whether a part may have servers of this region. A server whose region is not known may be in any. */
export const coversRegion = (part: FailedPart, region: string): boolean =>
  part.region === '' || region === '' || part.region === region

/** A region that the source no longer has. Its servers are kept: it may only be hidden. */
export const vanishedRegion = (region: string): FailedPart => ({
  region,
  error: new SourceError(
    'incomplete',
    'The source no longer lists the region, so its servers are kept. To remove them, list the remaining regions in options.regions.',
  ),
})
