import type { CallerField } from './fields.ts'
import type { Owner, ServerParts } from './ports.ts'
import type { OwnersField } from './render-server.ts'
import type { Owners } from './owners.ts'
import type { Visibility } from './server-list/visibility.ts'
import { covers } from '../scope.ts'

const nobody = { project: '', domain: '' }

/** The input of the caller fields, besides the server. */
export interface Ownership {
  readonly byProject: ReadonlyMap<string, Owner>
  /** Accounts whose servers can be acted on. */
  readonly managed: ReadonlySet<string>
  /** Nobody can change the past. */
  readonly isPast?: boolean
}

export async function ownership(owners: Owners): Promise<Ownership> {
  const [byProject, managed] = await Promise.all([owners.byProject(), owners.managedAccounts()])
  return { byProject, managed, isPast: owners.isPast ?? false }
}

/** Quotes inside JSON strings are escaped, so these bytes occur only as the field itself. */
const protectedBytes = Buffer.from('"disable_delete":true')
const taskBytes = Buffer.from('"sys:task_id":')

/** Why no caller can delete the server. */
export type DeleteState = 'past' | 'observed' | 'protected' | 'busy' | 'deletable'

/** Looks into the stored JSON only if the account can be acted on at all. */
export function deleteState(
  { accountId, body, metadata }: ServerParts,
  { managed, isPast }: Ownership,
): DeleteState {
  if (isPast === true) return 'past'
  if (!managed.has(accountId)) return 'observed'
  if (body.includes(protectedBytes)) return 'protected'
  return metadata.includes(taskBytes) ? 'busy' : 'deletable'
}

const wasThen = 'This is the server as it was at a moment of the past.'
const stateReasons: Readonly<Record<DeleteState, string>> = {
  past: wasThen,
  observed: 'The cloud account of the server is attached to observe only.',
  protected: 'The server is protected against deletion. Set disable_delete to false first.',
  busy: 'The server has an unfinished task.',
  deletable: '',
}
const mayNotDelete = 'Your roles do not allow "delete" on "servers" of service "compute" here.'

function deleteFailReason(parts: ServerParts, { deletes }: Visibility, state: DeleteState): string {
  if (state === 'past') return wasThen
  if (parts.isDeleted) return isDeleted
  return covers(deletes, parts) ? stateReasons[state] : mayNotDelete
}

const isDeleted = 'The server is deleted.'
export const mayNotUpdate =
  'Your roles do not allow "update" on "servers" of service "compute" here.'

const noAdminGroup = '"admin_secgrp_id":"","admin_security_rules":""'

function updateFailReason(parts: ServerParts, { updates }: Visibility, state: DeleteState): string {
  if (state === 'past') return wasThen
  if (parts.isDeleted) return isDeleted
  return covers(updates, parts) ? '' : mayNotUpdate
}

/** JSON members of the operator's group, where there is one and the caller may see it. */
const adminGroupOf = (parts: ServerParts, { administers }: Visibility): string =>
  parts.adminGroup !== '' && covers(administers, parts) ? parts.adminGroup : noAdminGroup

/** Servers with the same key have the same caller fields. */
export const callerFieldsKey = (
  parts: ServerParts,
  visibility: Visibility,
  state: DeleteState,
): string =>
  [
    parts.projectId,
    parts.managerProjectId,
    updateFailReason(parts, visibility, state),
    deleteFailReason(parts, visibility, state),
    adminGroupOf(parts, visibility),
  ].join(' ')

const members = (object: object) => JSON.stringify(object).slice(1, -1)

/**
 * The last fields of a full server, as JSON members: the current names of its owners, and what depends
 * on the caller.
 */
export function renderCallerFields(
  { byProject }: Ownership,
  parts: ServerParts,
  visibility: Visibility,
  state: DeleteState,
): string {
  const { project, domain } = byProject.get(parts.projectId) ?? nobody
  const manager = byProject.get(parts.managerProjectId) ?? nobody
  const names: Record<OwnersField, string> = {
    project,
    tenant: project,
    project_domain: domain,
    manager_project: manager.project,
    manager_domain: manager.domain,
  }
  const reason = updateFailReason(parts, visibility, state)
  const deleteReason = deleteFailReason(parts, visibility, state)
  const rest: Record<Exclude<CallerField, `admin_${string}`>, string | boolean> = {
    can_delete: deleteReason === '',
    can_update: reason === '',
    delete_fail_reason: deleteReason,
    update_fail_reason: reason,
  }
  return `,${members(names)},${adminGroupOf(parts, visibility)},${members(rest)}`
}
