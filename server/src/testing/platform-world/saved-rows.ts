import { newId } from '../../domain/new-id.ts'
import { anyName, createdAt, named } from '../identity-world/identity-rows.ts'

/** A new name, with its id and the time of its creation. */
export const called = (word: string) => named(anyName(word))

export const viewOf = (userId: string, projectId: string, sharing: 'private' | 'project') => ({
  ...called('view'),
  resource: 'servers',
  q: '',
  columns: '[]',
  order_by: '[]',
  direction: 'desc',
  group_by: '',
  scope: '',
  sharing,
  user_id: userId,
  project_id: projectId,
  updated_at: createdAt,
  revision: 1,
})

export const checkOf = (projectId: string, domainId: string) => ({
  ...called('check'),
  severity: 'info',
  q: 'status:unknown',
  grace: 0,
  enabled: 0,
  built_in: 0,
  project_id: projectId,
  domain_id: domainId,
  updated_at: createdAt,
  revision: 1,
})

export const eventBy = (userId: string, domainId: string) => ({
  id: newId(),
  time: createdAt,
  action: 'update',
  target_type: 'user',
  target_id: newId(),
  target_name: '',
  user_id: userId,
  user_name: '',
  project_id: '',
  domain_id: domainId,
  ip: '192.0.2.7',
  request_id: 'req-1',
  result: 'success',
  changes: '{}',
})
