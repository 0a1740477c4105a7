import type { CallerField } from './fields.ts'
import type { Owner, ServerParts } from './ports.ts'
import type { OwnersField } from './render-server.ts'
import type { Visibility } from './visibility.ts'
import { covers } from '../scope.ts'

const nobody = { project: '', domain: '' }

const cannotDelete = 'Muster does not delete servers: delete it where it runs.'
const isDeleted = 'The server is deleted.'
export const mayNotUpdate =
  'Your roles do not allow "update" on "servers" of service "compute" here.'

const noAdminGroup = '"admin_secgrp_id":"","admin_security_rules":""'

function updateFailReason(parts: ServerParts, { updates }: Visibility): string {
  if (parts.isDeleted) return isDeleted
  return covers(updates, parts) ? '' : mayNotUpdate
}

/** JSON members of the operator's group, where there is one and the caller may see it. */
const adminGroupOf = (parts: ServerParts, { administers }: Visibility): string =>
  parts.adminGroup !== '' && covers(administers, parts) ? parts.adminGroup : noAdminGroup

/** Servers with the same key have the same caller fields. */
export const callerFieldsKey = (parts: ServerParts, visibility: Visibility): string =>
  `${parts.projectId} ${parts.managerProjectId} ${updateFailReason(parts, visibility)} ${adminGroupOf(parts, visibility)}`

const members = (object: object) => JSON.stringify(object).slice(1, -1)

/**
 * The last fields of a full server, as JSON members: the current names of its owners, and what depends
 * on the caller.
 */
export function renderCallerFields(
  owners: ReadonlyMap<string, Owner>,
  parts: ServerParts,
  visibility: Visibility,
): string {
  const { project, domain } = owners.get(parts.projectId) ?? nobody
  const manager = owners.get(parts.managerProjectId) ?? nobody
  const names: Record<OwnersField, string> = {
    project,
    tenant: project,
    project_domain: domain,
    manager_project: manager.project,
    manager_domain: manager.domain,
  }
  const reason = updateFailReason(parts, visibility)
  const rest: Record<Exclude<CallerField, `admin_${string}`>, string | boolean> = {
    can_delete: false,
    can_update: reason === '',
    delete_fail_reason: cannotDelete,
    update_fail_reason: reason,
  }
  return `,${members(names)},${adminGroupOf(parts, visibility)},${members(rest)}`
}
