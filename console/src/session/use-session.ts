import type { SessionDto } from '@muster/contract'
import { useSuspenseQuery } from '@tanstack/react-query'
import { sessionQuery } from '../api/queries/session.ts'

/** The session under the frame: the route's loader has seen to it that there is one. */
export const useSession = (): SessionDto => useSuspenseQuery(sessionQuery).data
