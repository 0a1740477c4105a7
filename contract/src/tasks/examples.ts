import { example, exampleTimestamp } from '../administration/examples.ts'
import { serverExample } from '../servers/examples.ts'
import type { Batch, BatchDetails, BatchPreview } from './batch.ts'
import type { Task } from './task.ts'

const { server } = serverExample
const batchId = '7a6b5c4d3e2f41108f9e8d7c6b5a4938'
const matched = 'Zk9yVq1mZ2Jt0xkH3mC8yQ'

export const taskExample: Task = {
  id: '4b1d7f6a2c3e48f09a5b6c7d8e9f0a1b',
  action: 'stop',
  params: { is_force: true, timeout_secs: 30 },
  server_id: server.id,
  server: server.name,
  account_id: server.account_id,
  project_id: example.projectId,
  user_id: example.userId,
  user: 'alice',
  status: 'running',
  stage: 'stop',
  progress: 50,
  error: '',
  error_class: '',
  error_values: {},
  batch_id: batchId,
  created_at: exampleTimestamp,
  started_at: exampleTimestamp,
  finished_at: null,
  request_id: 'req-1f2e3d4c',
}

export const batchExample: Batch = {
  id: batchId,
  action: 'stop',
  params: { is_force: true },
  status: 'running',
  total: 12,
  queued: 5,
  running: 2,
  succeeded: 4,
  failed: 0,
  refused: 1,
  cancelled: 0,
  unknown: 0,
  matched,
  user_id: example.userId,
  user: 'alice',
  created_at: exampleTimestamp,
  finished_at: null,
}

export const batchDetailsExample: BatchDetails = {
  ...batchExample,
  refusals: [
    {
      server_id: '00000000-0000-4000-8000-000000000000',
      reason: 'Server not found, or you do not have access to it.',
    },
  ],
}

export const previewExample: BatchPreview = {
  action: 'stop',
  matched,
  total: 2,
  items: [
    { server_id: server.id, server: server.name, outcome: 'act', reason: '' },
    {
      server_id: '8c7b6a59-4837-4261-9504-f3e2d1c0b9a8',
      server: 'web-8',
      outcome: 'already',
      reason: 'The server is already stopped.',
    },
  ],
}
