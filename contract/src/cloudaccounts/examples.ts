import type { Claim } from './claim.ts'
import { example, exampleTimestamp } from '../administration/examples.ts'

const mapping = [{ tag: 'team=web', project_id: example.projectId }]

export const newAccountExample = {
  name: 'aws-prod',
  provider: 'Aws',
  credentials: { access_key_id: 'AKIAIOSFODNN7EXAMPLE', secret_access_key: 'wJalrXUtnFEMI…' },
  options: { regions: ['eu-central-1'] },
  project_id: example.projectId,
  period: 30,
  mapping,
}

export const accountExample = {
  id: 'b7d2f0c4-6e1a-4f8b-9c3d-5a4e3f2b1c0d',
  name: 'aws-prod',
  provider: 'Aws',
  brand: 'Aws',
  address: '',
  options: { regions: ['eu-central-1'] },
  project_id: example.projectId,
  period: 30,
  disappearance_hold: null,
  enabled: true,
  access: 'observe',
  max_actions: 10,
  request_timeout: 20,
  mapping,
  status: 'connected',
  servers: 412,
  created_at: exampleTimestamp,
  sync: {
    state: 'idle',
    started_at: exampleTimestamp,
    finished_at: exampleTimestamp,
    duration_ms: 1840,
    seen: 412,
    created: 0,
    changed: 3,
    gone: 1,
    error: '',
    error_field: '',
    failing_since: null,
    warnings: [
      {
        kind: 'unreadable',
        text: '1 server could not be read: web-7: its description has too many elements',
        count: 1,
        until: null,
      },
    ],
    next_at: exampleTimestamp,
  },
}

export const testExample = {
  ok: true,
  title: 'AWS EC2, account 123456789012, 1 region',
  servers: 412,
  statuses: { running: 380, ready: 32 },
  sample: ['web-1', 'web-2'],
  is_complete: true,
  actions: { start: true, stop: true, delete: false },
  error: '',
  error_field: '',
  duration_ms: 1620,
}

export const previewExample = {
  total: 412,
  moves: 1,
  projects: [{ project_id: example.projectId, project: 'genome', servers: 412 }],
  servers: [
    {
      id: '3c5f1d80-4a2b-4e6f-8a9b-0c1d2e3f4a5b',
      name: 'web-1',
      from_project_id: '8a7b6c5d4e3f40218a7b6c5d4e3f4021',
      from_project: 'archive',
      to_project_id: example.projectId,
      to_project: 'genome',
      rule: 0,
    },
  ],
}

export const providerExample = {
  provider: 'Aws',
  title: 'AWS EC2',
  description: 'EC2 instances of one AWS account',
  address: {
    required: false,
    description: 'EC2 endpoint. Default: the public endpoints of AWS.',
    example: 'https://ec2.example.org',
  },
  credentials: [
    {
      name: 'access_key_id',
      type: 'text',
      required: true,
      long: false,
      secret: false,
      description: 'Access key ID',
    },
  ],
  options: [
    {
      name: 'regions',
      type: 'list',
      required: false,
      long: false,
      secret: false,
      description: 'Regions to sync. Default: all enabled regions.',
    },
  ],
  rights: [{ title: 'IAM policy of the access key', text: '{"Version": "2012-10-17", …}' }],
  actions: ['start', 'stop', 'restart', 'reset', 'change-config', 'update', 'delete'],
  action_rights: [{ title: 'IAM policy for actions', text: '{"Version": "2012-10-17", …}' }],
  period: 30,
  events: false,
}

export const claimExample: Claim = {
  matched: 'Zk9yVq1mZ2Jt0xkH3mC8yQ',
  total: 1,
  items: [
    {
      server_id: '8c7b6a59-4837-4261-9504-f3e2d1c0b9a8',
      server: 'web-8',
      outcome: 'move',
      reason: '',
    },
  ],
}
