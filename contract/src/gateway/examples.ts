import { example, exampleTimestamp } from '../administration/examples.ts'
import type { LoginOptions, SessionEntry, SessionDto } from './session.ts'

const domain = { id: example.domainId, name: 'Research' }
const project = { id: example.projectId, name: 'genome', domain }

export const sessionExample: SessionDto = {
  user: {
    id: example.userId,
    name: 'ada',
    displayname: 'Ada Lovelace',
    email: 'ada@example.org',
    domain,
  },
  scope: { kind: 'project', ...project },
  roles: [{ id: example.roleId, name: 'project_owner' }],
  projects: [project],
  domains: [],
  permissions: [
    {
      operation: 'listServers',
      service: 'compute',
      resource: 'servers',
      action: 'list',
      reach: 'project',
    },
  ],
  second_factor: { required: 'none', verified_at: exampleTimestamp, reset: null },
  csrf_token: 'r6C3ZxuTP0y2qV1mHkQ9oXw5b8eLdJfNsA4tGiUzK7M',
  expires_at: exampleTimestamp,
  idle_expires_at: exampleTimestamp,
}

export const sessionEntryExample: SessionEntry = {
  id: '7f0c2b9a4de14a6f8c35e1d09b7a6f42',
  ip: '192.0.2.7',
  user_agent: 'Mozilla/5.0',
  scope: 'genome',
  created_at: exampleTimestamp,
  last_seen_at: exampleTimestamp,
  expires_at: exampleTimestamp,
  current: true,
}

export const loginOptionsExample: LoginOptions = {
  platform: 'muster',
  version: '0.1.0',
  demo: null,
  providers: [{ id: example.providerId, name: 'campus' }],
}
