import type { ScopeOrNone } from '../scope.ts'
import type { SizeHistory } from './draw-timeline.ts'
import type { Requester } from './ports.ts'

/** Servers in the scope that belong to one of the projects and domains, if any are given. */
export interface TimelineFilter {
  readonly scope: ScopeOrNone
  readonly projectIds: readonly string[] | undefined
  readonly domainIds: readonly string[] | undefined
}

/** The total size of each project's servers by day. Days are counted since 1970. */
export interface TimelineStore {
  /** Stores the current size as the size of this day. */
  count(day: number): Promise<void>
  forget(before: number): Promise<void>
  /** Reads the history since a day. When servers were created is only read if a day has no count. */
  read(filter: TimelineFilter, since: number, requester: Requester): Promise<SizeHistory>
}
