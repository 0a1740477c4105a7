import type { Field } from './condition.ts'

/** Names that identity stores, with the id to look them up. A rename needs no write of servers. */
export const ownerFields = {
  project: { id: 'project_id', name: 'project' },
  tenant: { id: 'project_id', name: 'project' },
  project_domain: { id: 'project_id', name: 'domain' },
  manager_project: { id: 'manager_project_id', name: 'project' },
  manager_domain: { id: 'manager_project_id', name: 'domain' },
} as const satisfies Partial<Record<Field, { id: Field; name: 'project' | 'domain' }>>
export type OwnerField = keyof typeof ownerFields

export const isOwnerField = (field: Field): field is OwnerField => Object.hasOwn(ownerFields, field)
