import { hash } from 'node:crypto'
import type { CallerField } from './fields.ts'
import type { Owner, ServerParts } from './ports.ts'
import type { OwnersField } from './render-server.ts'
import type { Visibility } from './visibility.ts'
import { covers } from '../scope.ts'

/** The last fields of a full server: the current names of its owners, and what depends on the caller. */
export interface CallerFields {
  /** With the object's end, and a comma before the next server. */
  readonly inner: Buffer
  /** With the object's end. */
  readonly last: Buffer
  /** Before the metadata. */
  readonly open: Buffer
  readonly digest: string
}

const nobody = { project: '', domain: '' }

const cannotDelete = 'Muster does not delete servers: delete it where it runs.'
const isDeleted = 'The server is deleted.'
export const mayNotUpdate =
  'Your roles do not allow "update" on "servers" of service "compute" here.'

interface Class {
  readonly mayUpdate: boolean
  readonly isDeleted: boolean
  /** JSON members of the operator's group, where there is one and the caller may see it. */
  readonly adminGroup: string
}

function classOf(parts: ServerParts, visibility: Visibility): Class {
  return {
    mayUpdate: covers(visibility.updates, parts),
    isDeleted: parts.isDeleted,
    adminGroup: covers(visibility.administers, parts) ? parts.adminGroup : '',
  }
}

function updateFailReason({ mayUpdate, isDeleted: isGone }: Class): string {
  if (isGone) return isDeleted
  return mayUpdate ? '' : mayNotUpdate
}

const noAdminGroup = '"admin_secgrp_id":"","admin_security_rules":""'

function renderCallerFields(
  owners: ReadonlyMap<string, Owner>,
  parts: ServerParts,
  of: Class,
): CallerFields {
  const { project, domain } = owners.get(parts.projectId) ?? nobody
  const manager = owners.get(parts.managerProjectId) ?? nobody
  const names: Record<OwnersField, string> = {
    project,
    tenant: project,
    project_domain: domain,
    manager_project: manager.project,
    manager_domain: manager.domain,
  }
  const reason = updateFailReason(of)
  const rest: Record<Exclude<CallerField, `admin_${string}`>, string | boolean> = {
    can_delete: false,
    can_update: reason === '',
    delete_fail_reason: cannotDelete,
    update_fail_reason: reason,
  }
  const members = (object: object) => JSON.stringify(object).slice(1, -1)
  const admin = of.adminGroup === '' ? noAdminGroup : of.adminGroup
  const text = `,${members(names)},${admin},${members(rest)}`
  return {
    inner: Buffer.from(`${text}},`),
    last: Buffer.from(`${text}}`),
    open: Buffer.from(text),
    digest: hash('sha1', text, 'base64url'),
  }
}

const cached = new WeakMap<ReadonlyMap<string, Owner>, Map<string, CallerFields>>()
const maxCached = 50_000

/** Servers of a project that a caller sees alike share these bytes, so they are rendered once. */
export function callerFieldsOf(
  owners: ReadonlyMap<string, Owner>,
  parts: ServerParts,
  visibility: Visibility,
): CallerFields {
  const known = cached.get(owners) ?? new Map<string, CallerFields>()
  cached.set(owners, known)
  if (known.size > maxCached) known.clear()
  const of = classOf(parts, visibility)
  const key = `${parts.projectId} ${parts.managerProjectId} ${of.mayUpdate} ${of.isDeleted} ${of.adminGroup}`
  let fields = known.get(key)
  if (!fields) {
    fields = renderCallerFields(owners, parts, of)
    known.set(key, fields)
  }
  return fields
}
