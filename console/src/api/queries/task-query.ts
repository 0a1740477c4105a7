import type { ServerAction, Task } from '@muster/contract'
import { resolveMoment } from '../../url/read-moment.ts'

/** The filters of the Tasks page, as in its address. */
export interface TaskFilters {
  readonly status?: string
  readonly action?: string
  readonly search?: string
  readonly server_id?: string
  readonly user_id?: string
  readonly batch_id?: string
  /** Accepted since then. */
  readonly since?: string
}

/** A refused task was never tried: the API counts it as failed, and people do not. */
const refused = 'refused'

function statusFilter(status: string | undefined) {
  if (status === refused) return { stage: refused }
  const filter = status === 'failed' ? [`stage.notequals('${refused}')`] : []
  return { status: status as Task['status'] | undefined, filter }
}

/** The filters as the API takes them. */
export function taskQuery({ status, action, since, ...others }: TaskFilters, now: number) {
  const { filter = [], ...ofStatus } = statusFilter(status)
  const time = since === undefined ? [] : [`created_at.ge('${resolveMoment(since, now)}')`]
  return {
    ...others,
    ...ofStatus,
    action: action as ServerAction | undefined,
    filter: [...filter, ...time],
  }
}
