import type { Clock } from '../domain/clock.ts'
import type { ReauthorizeCaller } from '../domain/identity/reauthorize-caller.ts'
import type { ViewUseCases } from '../domain/views/administer-views.ts'
import type { DatabaseReader, DatabaseWriter } from '../storage/database.ts'
import { loadOnce } from './load-once.ts'

interface Parts {
  readonly database: DatabaseReader & DatabaseWriter
  readonly reauthorizeCaller: ReauthorizeCaller
  readonly clock: Clock
}

/** The use cases of saved views, loaded on first use. */
export function composeViews({ database, reauthorizeCaller, clock }: Parts) {
  const loadViews = loadOnce(async (): Promise<ViewUseCases> => {
    const [{ createViewUseCases }, { createViewStore }] = await Promise.all([
      import('../domain/views/administer-views.ts'),
      import('../storage/views/view-store.ts'),
    ])
    return createViewUseCases({ views: createViewStore(database), reauthorizeCaller, clock })
  })
  return { loadViews }
}
