import type { ScopeOrNone } from '../scope.ts'
import type { SizeHistory } from './draw-timeline.ts'
import type { Requester } from './ports.ts'

/** Whose servers: what lies in the scope and, where any are named, belongs to one of them. */
export interface Whose {
  readonly scope: ScopeOrNone
  readonly projectIds: readonly string[] | undefined
  readonly domainIds: readonly string[] | undefined
}

/** How big the fleet was, project by project. Days are counted since 1970. */
export interface TimelineStore {
  /** Keeps how big it is now as how big it was on that day. */
  count(day: number): Promise<void>
  forget(before: number): Promise<void>
  /** Made from a day on; where all days since then were counted, nobody asks when servers were made. */
  read(whose: Whose, since: number, requester: Requester): Promise<SizeHistory>
}
