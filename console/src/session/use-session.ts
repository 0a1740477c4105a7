import type { SessionDto } from '@muster/contract'
import { useSuspenseQuery } from '@tanstack/react-query'
import { sessionQuery } from '../api/queries/session.ts'

/** The current session. The route's loader has loaded it. */
export const useSession = (): SessionDto => useSuspenseQuery(sessionQuery).data
