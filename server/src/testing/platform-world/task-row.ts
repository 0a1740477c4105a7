import { randomUUID } from 'node:crypto'
import { newId } from '../../domain/new-id.ts'
import { createdAt } from '../identity-world/identity-rows.ts'
import type { Place } from './persona-resources.ts'

/** Of a server that has no account: nothing runs it. */
export const taskOf = (
  { projectId, domainId }: Pick<Place, 'projectId' | 'domainId'>,
  userId: string,
  batchId: string,
) => ({
  id: newId(),
  action: 'start',
  params: '{}',
  server_id: randomUUID(),
  server_name: '',
  account_id: '',
  project_id: projectId,
  domain_id: domainId,
  user_id: userId,
  user_name: '',
  caller_scope: '{"kind":"none"}',
  access_key_id: '',
  status: 'queued',
  stage: '',
  progress: 0,
  error: '',
  error_class: '',
  error_values: '',
  batch_id: batchId,
  created_at: createdAt,
  started_at: null,
  finished_at: null,
  request_id: '',
  ip: '',
  through: '',
  status_before: 'ready',
  step: 0,
  sends: 0,
  sent_at: null,
  plan: '',
  is_shown: 0,
})
